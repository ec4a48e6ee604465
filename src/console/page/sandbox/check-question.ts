import { signal } from '@preact/signals'

/** What the signature checker is asked. */
export interface Question {
  readonly body: string
  /** The exact bytes, as long as the text of the body has not been edited. */
  readonly bodyBase64?: string | undefined
  readonly signature: string
  readonly clientId: string
}

export const question = signal<Question>({ body: '', signature: '', clientId: '' })
