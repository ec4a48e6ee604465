import type { Call, CallResult } from '../call.ts'
import type { CallOptions } from '../client-options.ts'
import type { Redaction } from '../http/redaction.ts'
import { ofOneOwner, type TokenSource } from '../tokens/token-keeper.ts'
import { createOperations, type Operations } from './create-operations.ts'
import { syncWebhooks } from './sync-webhooks.ts'
import type { DesiredWebhook } from './webhook-configuration.ts'
import type { Webhooks } from './webhooks.ts'

export function createWebhooks(
  call: Call,
  tokens: TokenSource,
  root: string,
  redaction: Redaction,
): Webhooks {
  /** The operations of one call, which fails if the client begins to act for another owner in the meantime. */
  function begin({ signal }: CallOptions = {}): Operations {
    const tokensOfOne = ofOneOwner(tokens)

    async function send(method: string, url: string, desired?: DesiredWebhook): Promise<CallResult> {
      // The service may send the callback token back with an error.
      if (desired) redaction.add(...new URL(desired.callbackUrl).searchParams.getAll('token'))
      return await call({
        method,
        url,
        body: desired && JSON.stringify({ event: desired.event, callbackURL: desired.callbackUrl }),
        // Required on all of them, with a body or without.
        headers: { 'content-type': 'application/json' },
        requestId: crypto.randomUUID(),
        // A second create would make a second configuration.
        newId: method === 'POST' ? 'unless_done' : 'always',
        mayBeGone: method === 'DELETE',
        repeatable: true,
        hidesInvalidToken: true,
        tokens: tokensOfOne,
        signal,
      })
    }

    return createOperations(send, root, redaction)
  }

  return {
    create: async (desired, options) => await begin(options).create(desired),
    list: async (options) => await begin(options).list(options),
    get: async (id, options) => await begin(options).get(id),
    update: async (id, change, options) => await begin(options).update(id, change),
    delete: async (id, options) => await begin(options).delete(id),
    sync: async (desired, options) => await syncWebhooks(begin(options), desired, options),
  }
}
