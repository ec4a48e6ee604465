import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DesiredWebhook } from '../../../src/client/index.ts'
import { applyThenCut, cutBefore, pass, respond } from '../exchange.ts'
import { openClient } from '../open-client.ts'

const configuration: fc.Arbitrary<DesiredWebhook> = fc.record({
  event: fc.constantFrom('ACCOUNT_STATUS_UPDATED', 'VBA_TRANSACTION', 'SOMETHING_NEW'),
  callbackUrl: fc.constantFrom(
    'https://a.example/1',
    'https://a.example/2',
    'https://b.example/?token=x',
    'https://c.example',
  ),
})
const some = fc.array(configuration, { maxLength: 6 })
const keyOf = ({ event, callbackUrl }: DesiredWebhook) => `${event} ${callbackUrl}`

describe('whatever exists and whatever is desired', () => {
  it('a sync creates the desired state, and a second one changes nothing', async () => {
    const { service, webhooks } = await openClient()
    await fc.assert(
      fc.asyncProperty(some, some, fc.boolean(), async (there, desired, prune) => {
        service.webhooks.configurations.length = 0
        for (const { event, callbackUrl } of there) service.webhooks.add(event, callbackUrl)
        const wanted = [...new Set(desired.map(keyOf))].sort()
        const planned = await webhooks.sync(desired, { prune, dryRun: true })
        expect(service.webhooks.active()).toEqual(there.map(keyOf).sort())

        const result = await webhooks.sync(desired, { prune })
        for (const kind of ['created', 'updated', 'deleted', 'unchanged'] as const) {
          expect(
            planned[kind].map(({ event, callbackUrl }) => `${event} ${callbackUrl?.href}`),
            kind,
          ).toEqual(result[kind].map(({ event, callbackUrl }) => `${event} ${callbackUrl?.href}`))
        }
        const active = service.webhooks.active()
        if (prune) expect(active).toEqual(wanted)
        else {
          expect(active).toEqual(expect.arrayContaining(wanted))
          expect(active).toHaveLength(there.length + result.created.length)
          expect(result.deleted).toEqual([])
        }

        const ids = service.webhooks.configurations.map(({ id }) => id)
        const again = await webhooks.sync(desired, { prune })
        expect([again.created, again.updated, again.deleted]).toEqual([[], [], []])
        expect(service.webhooks.active()).toEqual(active)
        expect(service.webhooks.configurations.map(({ id }) => id)).toEqual(ids)
      }),
      { numRuns: 50 },
    )
  })

  it('a repeated sync over a bad network creates the desired state without duplicates', async () => {
    const { service, webhooks } = await openClient({}, { maxRetries: 2 })
    const fault = fc.constantFrom(
      pass,
      pass,
      cutBefore,
      applyThenCut,
      respond(500),
      respond(429),
      respond(422),
    )
    await fc.assert(
      fc.asyncProperty(some, some, fc.array(fault, { maxLength: 12 }), async (there, desired, faults) => {
        service.webhooks.configurations.length = 0
        for (const { event, callbackUrl } of there) service.webhooks.add(event, callbackUrl)
        service.forget()
        service.on('*', faults)
        for (let round = 0; ; round++) {
          const failed = await webhooks.sync(desired, { prune: true }).then(
            () => false,
            () => true,
          )
          if (!failed) break
          expect(round).toBeLessThan(13)
        }
        expect(service.webhooks.active()).toEqual([...new Set(desired.map(keyOf))].sort())
      }),
      { numRuns: 40 },
    )
  })
})
