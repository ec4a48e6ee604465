import type { EventKind } from '../../events/kinds.ts'
import { parseJson } from '../../json/parse-json.ts'
import { assertOptions, booleanOption, withinRange } from '../../option-checks.ts'
import type { Overrides, SampleObject } from '../../testing/sample-data.ts'
import { toWireJson } from '../../testing/wire-json.ts'
import type { Delivery } from '../delivery/delivery.ts'
import { MAX_DELAY_MS } from '../delivery/faults.ts'
import type { NotifyOptions, StatusSequence, WalkOptions } from '../sandbox.ts'
import { parseId, type ResourceIds } from '../state/resource-ids.ts'
import type { Resources, Sort } from '../state/resources.ts'
import { checkNotifyOptions } from './check-notify-options.ts'
import type { Notifier, Recipient } from './notifier.ts'
import { parseOverrides } from './parse-overrides.ts'
import { changeResource, mergeChanges, type ResourceModel } from './resource-model.ts'

/** What differs between payments and invoices. */
export interface SequenceRules {
  readonly sort: Sort
  readonly payerKind: EventKind
  readonly payeeKind: EventKind
  readonly usualWay: readonly string[]
  readonly toModel: (id: bigint) => ResourceModel
  /** Called with the new data after a change of status, for events that follow from it. */
  readonly follow?: (data: SampleObject, options: NotifyOptions) => Promise<Delivery[]>
}

/** The shared state of all payments and invoices of a sandbox. */
export interface SequenceContext {
  readonly notifier: Notifier
  /** The recipients of an event of one account. */
  readonly recipients: (kind: string, accountId?: string) => Recipient[]
  readonly ids: ResourceIds
  readonly resources: Resources
  /** Whether the application is a partner, whose payments have receipt links. */
  readonly partner: boolean
}

/** @throws TypeError if the data is not a JSON object or its id is not an integer */
export function createStatusSequence(
  overrides: Overrides,
  { sort, payerKind, payeeKind, usualWay, toModel, follow }: SequenceRules,
  { notifier, recipients, ids, resources }: SequenceContext,
): StatusSequence<string> {
  const own = parseOverrides('data', overrides)
  const id = parseId(Object.hasOwn(own, 'id') ? own.id : ids.next(payerKind))
  if (id === undefined) throw new TypeError('"id" option must be an integer')
  const model = toModel(id)
  let data = changeResource(model, model.initial, own)
  // A status does not override what the caller has set.
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
      // The other events of a burst are about other payments in the same status.
      const otherId = BigInt(ids.next(payerKind))
      const other = { ...change(toModel(otherId)), id: otherId }
      return () => other
    }
    const sides = [
      ...recipients(payerKind, String(next.payerAccountId)),
      ...recipients(payeeKind, String(next.payeeAccountId)),
    ]
    const orders = notifier.prepare(sides, { eventAt }, options)
    // Nothing can throw from here on.
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

  const sequence: StatusSequence<string> = {
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
  resources.keep(sort, sequence.id, {
    sequence,
    get json() {
      return toWireJson(payerKind, data)
    },
  })
  return sequence
}

function assertStatus(status: unknown): void {
  if (typeof status !== 'string' || status === '') throw new TypeError('"status" must be a status')
}
