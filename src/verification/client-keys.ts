import { Buffer } from 'node:buffer'
import { createSecretKey, type KeyObject } from 'node:crypto'
import { invalidOption } from '../option-checks.ts'

export type ClientIds = string | readonly string[]

export interface ClientKey {
  readonly clientId: string
  readonly key: KeyObject
}

const CACHED_KEYS = 256
const cache = new Map<string, ClientKey>()

/**
 * The keys of one or more client ids. They are cached, since an HMAC with a `KeyObject` takes a third of the
 * time of one with a string. The cache is bounded, since a caller may serve any number of applications.
 *
 * @throws TypeError if there is no client id, or an empty one
 */
export function toClientKeys(clientId: ClientIds): readonly ClientKey[] {
  if (typeof clientId === 'string') return [toClientKey(clientId)]
  if (!Array.isArray(clientId) || clientId.length === 0) throw clientIdError(clientId)
  // Not map(), which would skip the hole in [, 'x'].
  return Array.from(clientId, toClientKey)
}

export function toClientKey(clientId: string): ClientKey {
  return cache.get(clientId) ?? createClientKey(clientId)
}

function createClientKey(clientId: string): ClientKey {
  if (typeof clientId !== 'string' || clientId === '') throw clientIdError(clientId)
  const made = { clientId, key: createSecretKey(Buffer.from(clientId, 'utf8')) }
  if (cache.size >= CACHED_KEYS) cache.clear()
  cache.set(clientId, made)
  return made
}

function clientIdError(value: unknown): TypeError {
  const requirement = 'the client id of your application, a non-empty string, or a list of them'
  return invalidOption('clientId', requirement, value)
}
