import { EVENT_KINDS, type EventKind } from '../../events/kinds.ts'
import { invalid } from '../http-error.ts'
import type { SavedState } from './saved-state.ts'

/** A callback configuration. */
export interface Configuration {
  readonly id: string
  readonly accountId: string
  readonly event: EventKind
  readonly callbackUrl: string
  readonly status: 'Active' | 'Inactive'
}

/** The configuration that gets a notification, and the kind that it gets. */
export interface Recipient {
  readonly kind: string
  readonly configuration: Configuration
}

const FIRST_ID = 2_001
const MAX_ACTIVE = 10_000
const MAX_INACTIVE = 1_000

/** The callback configurations of a sandbox. They are immutable: every change creates a new object. */
export class Configurations {
  /** In the order of their ids. */
  readonly #all = new Map<string, Configuration>()
  readonly #onChange: (configuration: Configuration) => void
  #nextId = FIRST_ID

  /** @param onChange called for every new or changed configuration */
  constructor(onChange: (configuration: Configuration) => void) {
    this.#onChange = onChange
  }

  create(accountId: string, fields: Pick<Configuration, 'event' | 'callbackUrl'>): Configuration {
    if (this.active().length >= MAX_ACTIVE) throw invalid('There are too many configurations')
    const id = String(this.#nextId++)
    return this.#keep({ id, accountId, ...fields, status: 'Active' })
  }

  /** A configuration of the account, deleted or not. */
  find(accountId: string, id: string): Configuration | undefined {
    const found = this.#all.get(id)
    return found?.accountId === accountId ? found : undefined
  }

  findActive(id: string): Configuration | undefined {
    const found = this.#all.get(id)
    return found?.status === 'Active' ? found : undefined
  }

  all(): Configuration[] {
    return [...this.#all.values()]
  }

  /** What survives a restart. */
  get state(): SavedState['configurations'] {
    return { nextId: this.#nextId, all: this.all() }
  }

  restore({ nextId, all }: SavedState['configurations']): void {
    this.#nextId = nextId
    for (const configuration of all as Configuration[]) this.#all.set(configuration.id, configuration)
  }

  reset(): void {
    this.#all.clear()
    this.#nextId = FIRST_ID
  }

  update(configuration: Configuration, changes: Pick<Configuration, 'event' | 'callbackUrl'>): Configuration {
    return this.#keep({ ...configuration, ...changes })
  }

  deactivate(configuration: Configuration): Configuration {
    const inactive = this.#keep({ ...configuration, status: 'Inactive' })
    const [oldest, ...others] = this.all().filter(({ status }) => status === 'Inactive')
    if (oldest && others.length >= MAX_INACTIVE) this.#all.delete(oldest.id)
    return inactive
  }

  active(accountId?: string, event?: EventKind): Configuration[] {
    return this.all().filter(
      (one) =>
        one.status === 'Active' &&
        (accountId === undefined || one.accountId === accountId) &&
        (event === undefined || one.event === event),
    )
  }

  /**
   * The Active configurations of a kind. An unknown kind, for which nobody can register, goes to every URL
   * once.
   */
  recipients(kind: string, accountId?: string): Recipient[] {
    const isKnown = (EVENT_KINDS as readonly string[]).includes(kind)
    const active = this.active(accountId, isKnown ? (kind as EventKind) : undefined)
    const byUrl = new Map(
      active.map((one) => [isKnown ? one.id : `${one.accountId} ${one.callbackUrl}`, one]),
    )
    return [...byUrl.values()].map((configuration) => ({ kind, configuration }))
  }

  #keep(configuration: Configuration): Configuration {
    this.#all.set(configuration.id, configuration)
    this.#onChange(configuration)
    return configuration
  }
}
