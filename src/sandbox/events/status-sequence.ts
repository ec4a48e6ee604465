import type { EventKind } from '../../events/kinds.ts'
import { parseJson } from '../../json/parse-json.ts'
import { assertOptions, booleanOption, withinRange } from '../../option-checks.ts'
import type { Overrides, SampleObject } from '../../testing/sample-data.ts'
import { toWireJson } from '../../testing/wire-json.ts'
import type { Delivery } from '../delivery/delivery.ts'
import { MAX_DELAY_MS } from '../delivery/faults.ts'
import type { NotifyOptions, StatusSequence, WalkOptions } from '../sandbox.ts'
import { checkNotifyOptions } from './check-notify-options.ts'
import type { Notifier, Recipient } from './notifier.ts'
import { parseOverrides } from './parse-overrides.ts'
import { parseId, type ResourceIds } from './resource-ids.ts'
import { changeResource, mergeChanges, type ResourceModel } from './resource-model.ts'

/** What makes a payment a payment, and an invoice an invoice. */
export interface SequenceRules {
  readonly payerKind: EventKind
  readonly payeeKind: EventKind
  readonly usualWay: readonly string[]
  readonly toModel: (id: bigint) => ResourceModel
  /** Called after a change of status, with the new data, for events that follow from it. */
  readonly follow?: (data: SampleObject, options: NotifyOptions) => Promise<Delivery[]>
}

/** What the payments and invoices of a sandbox share. */
export interface SequenceContext {
  readonly notifier: Notifier
  /** Where an event of one account goes. */
  readonly recipients: (kind: string, accountId?: string) => Recipient[]
  readonly ids: ResourceIds
  /** Whether the application is a partner, whose payments have links to receipts. */
  readonly partner: boolean
}

/** @throws TypeError for data that is no JSON object, or that has no usable id */
export function createStatusSequence(
  overrides: Overrides,
  { payerKind, payeeKind, usualWay, toModel, follow }: SequenceRules,
  { notifier, recipients, ids }: SequenceContext,
): StatusSequence<string> {
  const own = parseOverrides('data', overrides)
  const id = parseId(Object.hasOwn(own, 'id') ? own.id : ids.next(payerKind))
  if (id === undefined) throw new TypeError('"id" option must be an integer')
  const model = toModel(id)
  let data = changeResource(model, model.initial, own)
  // What the caller set stays as it is, whatever a status brings along.
  let given = own

  async function setStatus(
    status: string,
    changes: Overrides = {},
    options: NotifyOptions = {},
  ): Promise<Delivery[]> {
    assertStatus(status)
    const wanted = { ...parseOverrides('changes', changes), status }
    const [before, givenBefore] = [data, given]
    const change = (of: ResourceModel) => changeResource(of, before, wanted, givenBefore)
    const next = change(model)
    const eventAt = (index: number) => {
      if (index === 0) return () => next
      // A burst goes on with other payments in the same status.
      const otherId = BigInt(ids.next(payerKind))
      const other = { ...change(toModel(otherId)), id: otherId }
      return () => other
    }
    const sides = [
      ...recipients(payerKind, String(next.payerAccountId)),
      ...recipients(payeeKind, String(next.payeeAccountId)),
    ]
    const orders = notifier.prepare(sides, { eventAt }, options)
    // All that may be refused has been by now.
    data = next
    given = mergeChanges(givenBefore, wanted)
    return (await Promise.all([follow?.(next, options) ?? [], notifier.deliver(orders)])).flat()
  }

  async function go(
    statuses: readonly string[],
    { wait, intervalMs }: { wait: boolean; intervalMs: number },
    options: NotifyOptions,
  ): Promise<Delivery[]> {
    const { closing } = notifier
    const walked: Promise<Delivery[]>[] = []
    for (const [index, status] of statuses.entries()) {
      if (index > 0 && intervalMs > 0) {
        await closing.pause(intervalMs)
        if (closing.closed) break
      }
      const deliveries = setStatus(status, {}, options)
      walked.push(deliveries)
      if (wait) await deliveries
    }
    return (await Promise.all(walked)).flat()
  }

  return {
    id: String(id),
    get data() {
      return parseJson(toWireJson(payerKind, data)).exact as SampleObject
    },
    setStatus,
    walk: async (statuses = usualWay, walkOptions: WalkOptions = {}) => {
      if (!Array.isArray(statuses)) throw new TypeError('"statuses" must be a list of statuses')
      for (const status of statuses) assertStatus(status)
      assertOptions(walkOptions, ['wait', 'intervalMs', 'inline', 'faults'])
      const { wait, intervalMs, ...options } = walkOptions
      checkNotifyOptions(options)
      const pace = {
        wait: booleanOption('wait', wait, false),
        intervalMs: withinRange('intervalMs', intervalMs, 0, 0, MAX_DELAY_MS),
      }
      return await notifier.track(go([...statuses], pace, options))
    },
  }
}

function assertStatus(status: unknown): void {
  if (typeof status !== 'string' || status === '') throw new TypeError('"status" must be a status')
}
