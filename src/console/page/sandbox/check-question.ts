import { signal } from '@preact/signals'

/** Input of the signature checker. */
export interface Question {
  readonly body: string
  /** The exact bytes, until the text of the body is edited. */
  readonly bodyBase64?: string | undefined
  readonly signature: string
  readonly clientId: string
}

export const question = signal<Question>({ body: '', signature: '', clientId: '' })
