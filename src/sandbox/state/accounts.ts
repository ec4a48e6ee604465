/** A user who can log in on the authorize page and consent. */
export interface SandboxUser {
  readonly email: string
  readonly password: string
  readonly name: string
  /** A decimal string. */
  readonly userId: string
  readonly accountId: string
}

/** The owner of a token: the application itself, or a user who consented. */
export interface AccountHolder {
  readonly userId: string
  readonly accountId: string
}

export const APPLICATION: AccountHolder = Object.freeze({ userId: '51001', accountId: '710021' })

/** The users of every sandbox. The first one is the other side of payments by default. */
export const USERS: readonly [SandboxUser, SandboxUser] = Object.freeze([
  Object.freeze({
    email: 'ada@example.com',
    password: 'ada-sandbox',
    name: 'Ada Okafor',
    userId: '51044',
    accountId: '710044',
  }),
  Object.freeze({
    email: 'ben@example.com',
    password: 'ben-sandbox',
    name: 'Ben Larsen',
    userId: '51063',
    accountId: '710063',
  }),
])
