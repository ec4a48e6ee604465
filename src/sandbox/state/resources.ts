import { isJsonObject, type JsonObject } from '../../json/json-value.ts'
import { parseJson } from '../../json/parse-json.ts'
import type { StatusSequence } from '../sandbox.ts'
import { BoundedMap } from './bounded-map.ts'

export const SORTS = ['payments', 'invoices'] as const
export type Sort = (typeof SORTS)[number]

/** A payment or an invoice that the sandbox knows of. */
export interface Resource {
  /** Its current data, as the service sends it. */
  readonly json: string
  /** What changes its status; none if it is known from a trigger alone. */
  readonly sequence?: StatusSequence<string>
}

const MOST_KEPT = 10_000

/** The payments and invoices of one sandbox, by id; the last 10,000 of each. */
export class Resources {
  readonly #bySort = {
    payments: new BoundedMap<string, Resource>(MOST_KEPT),
    invoices: new BoundedMap<string, Resource>(MOST_KEPT),
  }

  keep(sort: Sort, id: string, resource: Resource): void {
    this.#bySort[sort].set(id, resource)
  }

  /** Remembers what an event says; a payment whose status is changed here knows better. */
  remember(kind: string, json: string): void {
    const sort = /_(PAYMENT|INVOICE)_STATUS_UPDATED$/.exec(kind)?.[1] === 'PAYMENT' ? 'payments' : 'invoices'
    const { id } = toData(json)
    if (this.#bySort[sort].get(String(id))?.sequence === undefined) this.keep(sort, String(id), { json })
  }

  find(sort: Sort, id: string): Resource | undefined {
    return this.#bySort[sort].get(id)
  }

  list(sort: Sort): [id: string, resource: Resource][] {
    return [...this.#bySort[sort]].reverse()
  }

  clear(): void {
    for (const sort of SORTS) this.#bySort[sort].clear()
  }
}

/** Data with exact numbers, such as its ids. */
export function toData(json: string): JsonObject {
  const { exact } = parseJson(json)
  return isJsonObject(exact) ? exact : {}
}
