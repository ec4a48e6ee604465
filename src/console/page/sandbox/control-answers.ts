/** One attempt to deliver. */
export interface Attempt {
  readonly number: number
  readonly startedAt: string
  readonly durationMs: number
  readonly status?: number
  readonly error?: string
  readonly responseBody?: string
}

/** A delivery as the list shows it. */
export interface DeliverySummary {
  readonly id: string
  readonly kind: string
  readonly state: 'pending' | 'delivered' | 'failed' | 'dropped' | 'cancelled'
  readonly url: string
  readonly createdAt: string
  /** Id and status of the payment, the invoice and so on. */
  readonly subject: { readonly id?: string; readonly status?: string }
  readonly redeliveryOf?: string
  readonly attempts: readonly Attempt[]
}

/** One delivery with what was sent. */
export interface DeliveryDetail extends DeliverySummary {
  readonly headers: Readonly<Record<string, string>>
  /** The signature of the exact bytes, even if a fault sends another one. */
  readonly signature: string
  readonly body: string
  readonly bodyBase64: string
}

export interface Credentials {
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string
  readonly accountId: string
  readonly users: readonly {
    readonly name: string
    readonly email: string
    readonly password: string
    readonly accountId: string
  }[]
  readonly redirectUris: readonly string[]
}

/** A callback configuration. */
export interface Configuration {
  readonly id: string | number
  readonly event: string
  readonly callbackUrl: string
  readonly status: string
  readonly accountId?: string
}

/** A payment or an invoice. */
export interface Resource {
  readonly id: string
  readonly data: { readonly status: string }
}

export type Verdict =
  | { readonly valid: true }
  | { readonly valid: false; readonly cause: string; readonly message: string }
