import { withoutSecrets } from '../http/shown-url.ts'

/**
 * A callback URL that may be logged: as text, as JSON and in `util.inspect`, it has no password or callback
 * token.
 */
export class CallbackUrl {
  readonly #href: string

  constructor(href: string) {
    this.#href = href
  }

  /** The whole URL, with its secrets. */
  get href(): string {
    return this.#href
  }

  toString(): string {
    return withoutSecrets(this.#href)
  }

  toJSON(): string {
    return this.toString()
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString()
  }
}

/** A configuration whose URL may be logged. */
export type Loggable<Webhook> = {
  readonly [Name in keyof Webhook]: Name extends 'callbackUrl' ? CallbackUrl : Webhook[Name]
}

export function toLoggable<Webhook extends { readonly callbackUrl?: string | undefined }>(
  webhook: Webhook,
): Loggable<Webhook> {
  const { callbackUrl } = webhook
  return {
    ...webhook,
    ...(callbackUrl !== undefined && { callbackUrl: new CallbackUrl(callbackUrl) }),
  } as never
}
