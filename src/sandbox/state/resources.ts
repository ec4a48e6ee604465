import { isJsonObject, type JsonObject } from '../../json/json-value.ts'
import { parseJson } from '../../json/parse-json.ts'
import { BoundedMap } from './bounded-map.ts'
import type { StatusSequence } from './status-sequence.ts'

/** The path segment of payments or invoices. */
export type ResourceKind = (typeof RESOURCE_KINDS)[number]

export const RESOURCE_KINDS = ['payments', 'invoices'] as const

export interface Resource {
  /** Its current data, as the service sends it. */
  readonly json: string
  readonly createdAt: number
  readonly updatedAt: number
  /** The accounts that can read it: the payer's and the payee's, of each event that it is known from. */
  readonly sides: readonly string[]
  /** Changes its status; none if it is only known from an event. */
  readonly sequence?: StatusSequence<string>
}

const MAX_BYTES = 16 * 1024 * 1024

export class Resources {
  readonly #byKind: Readonly<Record<ResourceKind, BoundedMap<string, Resource>>> = {
    payments: new BoundedMap(MAX_BYTES, ({ json }) => json.length),
    invoices: new BoundedMap(MAX_BYTES, ({ json }) => json.length),
  }

  /** @param others accounts that can read it, too */
  keep(
    kind: ResourceKind,
    id: string,
    resource: Pick<Resource, 'json' | 'sequence'>,
    others: readonly string[] = [],
  ): void {
    const { payerAccountId, payeeAccountId } = toData(resource.json)
    const sides = [...new Set([String(payerAccountId), String(payeeAccountId), ...others])]
    const updatedAt = Date.now()
    const { createdAt = updatedAt } = this.find(kind, id) ?? {}
    this.#byKind[kind].set(id, { ...resource, createdAt, updatedAt, sides })
  }

  /** Keeps the data of an event, unless the resource has a sequence, which is more recent. */
  remember(kind: ResourceKind, json: string): void {
    const id = String(toData(json).id)
    const known = this.find(kind, id)
    // Each notified account is told that it is a side.
    if (known?.sequence === undefined) this.keep(kind, id, { json }, known?.sides)
  }

  find(kind: ResourceKind, id: string): Resource | undefined {
    return this.#byKind[kind].get(id)
  }

  /** In the order of their ids, compared as numbers, whatever their length. */
  list(kind: ResourceKind): Resource[] {
    return [...this.#byKind[kind]]
      .sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1))
      .map(([, resource]) => resource)
  }

  clear(): void {
    for (const kind of RESOURCE_KINDS) this.#byKind[kind].clear()
  }
}

/** Data with exact numbers, such as its ids. */
export function toData(json: string): JsonObject {
  const { exact } = parseJson(json)
  return isJsonObject(exact) ? exact : {}
}
