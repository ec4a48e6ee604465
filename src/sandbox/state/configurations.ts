import { type EventKind, isEventKind } from '../../events/kinds.ts'
import { invalid } from '../http-error.ts'
import { BoundedMap } from './bounded-map.ts'
import type { SavedState } from './saved-state.ts'

/** A callback configuration of any account. */
export interface Configuration {
  /** A decimal string, unlike in the API of the service. */
  readonly id: string
  readonly accountId: string
  readonly event: EventKind
  /** An absolute URL. */
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
  readonly #active = new Map<string, Configuration>()
  readonly #inactive = new BoundedMap<string, Configuration>(MAX_INACTIVE)
  readonly #onChange: (configuration: Configuration) => void
  #nextId = FIRST_ID

  constructor(onChange: (configuration: Configuration) => void) {
    this.#onChange = onChange
  }

  create(accountId: string, fields: Pick<Configuration, 'event' | 'callbackUrl'>): Configuration {
    if (this.#active.size >= MAX_ACTIVE) throw invalid('There are too many configurations')
    const id = String(this.#nextId++)
    return this.#keep({ id, accountId, ...fields, status: 'Active' })
  }

  /** A configuration of the account, deleted or not. */
  find(accountId: string, id: string): Configuration | undefined {
    const found = this.#active.get(id) ?? this.#inactive.get(id)
    return found?.accountId === accountId ? found : undefined
  }

  findActive(id: string): Configuration | undefined {
    return this.#active.get(id)
  }

  all(): Configuration[] {
    const all = [...this.#active.values(), ...this.#inactive.values()]
    return all.sort((one, other) => Number(one.id) - Number(other.id))
  }

  get state(): SavedState['configurations'] {
    return { nextId: this.#nextId, all: this.all() }
  }

  restore({ nextId, all }: SavedState['configurations']): void {
    this.#nextId = nextId
    for (const configuration of all as Configuration[]) this.#set(configuration)
  }

  reset(): void {
    this.#active.clear()
    this.#inactive.clear()
    this.#nextId = FIRST_ID
  }

  update(configuration: Configuration, changes: Pick<Configuration, 'event' | 'callbackUrl'>): Configuration {
    return this.#keep({ ...configuration, ...changes })
  }

  deactivate(configuration: Configuration): Configuration {
    this.#active.delete(configuration.id)
    return this.#keep({ ...configuration, status: 'Inactive' })
  }

  active(accountId?: string, event?: EventKind): Configuration[] {
    return [...this.#active.values()].filter(
      (one) =>
        (accountId === undefined || one.accountId === accountId) &&
        (event === undefined || one.event === event),
    )
  }

  /** The Active ones of a kind. One that nobody registers, as it is unknown, goes once to each URL. */
  recipients(kind: string, accountId?: string): Recipient[] {
    const isKnown = isEventKind(kind)
    const active = this.active(accountId, isKnown ? kind : undefined)
    const byUrl = new Map(
      active.map((one) => [isKnown ? one.id : `${one.accountId} ${one.callbackUrl}`, one]),
    )
    return [...byUrl.values()].map((configuration) => ({ kind, configuration }))
  }

  #keep(configuration: Configuration): Configuration {
    this.#set(configuration)
    this.#onChange(configuration)
    return configuration
  }

  #set(configuration: Configuration): void {
    const map = configuration.status === 'Active' ? this.#active : this.#inactive
    map.set(configuration.id, configuration)
  }
}
