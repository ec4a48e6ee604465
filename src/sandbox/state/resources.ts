import { isJsonObject, type JsonObject } from '../../json/json-value.ts'
import { parseJson } from '../../json/parse-json.ts'
import type { ResourceKind } from '../control/control-json.ts'
import type { StatusSequence } from '../sandbox.ts'
import { BoundedMap } from './bounded-map.ts'

export const RESOURCE_KINDS: readonly ResourceKind[] = ['payments', 'invoices']

export interface Resource {
  /** Its current data, as the service sends it. */
  readonly json: string
  /** Changes its status; none if it is only known from an event. */
  readonly sequence?: StatusSequence<string>
}

const MAX_BYTES = 16 * 1024 * 1024

export class Resources {
  readonly #byKind: Readonly<Record<ResourceKind, BoundedMap<string, Resource>>> = {
    payments: new BoundedMap(MAX_BYTES, ({ json }) => json.length),
    invoices: new BoundedMap(MAX_BYTES, ({ json }) => json.length),
  }

  keep(kind: ResourceKind, id: string, resource: Resource): void {
    this.#byKind[kind].set(id, resource)
  }

  /** Keeps the data of an event, unless the resource has a sequence, which is more recent. */
  remember(kind: ResourceKind, json: string): void {
    const id = String(toData(json).id)
    if (this.find(kind, id)?.sequence === undefined) this.keep(kind, id, { json })
  }

  find(kind: ResourceKind, id: string): Resource | undefined {
    return this.#byKind[kind].get(id)
  }

  /** Newest first. */
  list(kind: ResourceKind): [id: string, resource: Resource][] {
    return [...this.#byKind[kind]].reverse()
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
