import type { Hono } from 'hono'
import type { Sandbox, TriggerOptions } from '../sandbox.ts'
import type { SandboxCore } from '../sandbox-core.ts'
import { readExactJson, readGivenBody } from './read-exact-json.ts'
import { answerDeliveries } from './settled-answer.ts'

const FIELDS = ['kind', 'data', 'inline', 'accountId', 'faults', 'contentType', 'body', 'bodyBase64']

/** `POST trigger`. */
export function addTriggerRoute(app: Hono, { dispatcher }: SandboxCore, sandbox: Sandbox): void {
  app.post('/_sandbox/trigger', async (c) => {
    const request = await readExactJson(c.req, FIELDS)
    const { kind, data, bodyBase64: _bodyBase64, accountId, ...options } = request
    const triggerOptions = {
      ...options,
      accountId: typeof accountId === 'number' ? String(accountId) : accountId,
      body: readGivenBody(request),
    } as TriggerOptions
    return await answerDeliveries(c, dispatcher, () =>
      sandbox.trigger(kind as string, data as Parameters<Sandbox['trigger']>[1], triggerOptions),
    )
  })
}
