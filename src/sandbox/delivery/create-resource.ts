import { parseJson } from '../../json/parse-json.ts'
import { type Checked, type Checks, checkOptions, delayMs, flag } from '../../option-checks.ts'
import { type Overrides, type SampleObject, toWireJson } from '../../testing/sample-data.ts'
import { parseOverrides } from '../events/parse-overrides.ts'
import { RESOURCE_EVENTS, rememberEvent, toLinkedPayment } from '../events/resource-events.ts'
import { changeResource, mergeChanges, type ResourceModel } from '../events/resource-model.ts'
import type { Delivery } from '../state/delivery.ts'
import { parseId } from '../state/resource-ids.ts'
import type { ResourceKind } from '../state/resources.ts'
import type { NotifyOptions, StatusSequence, WalkOptions } from '../state/status-sequence.ts'
import type { Dispatcher, SandboxCore } from './dispatcher.ts'
import { NOTIFY_OPTIONS, toOrders } from './to-orders.ts'

const WALK_OPTIONS = {
  ...NOTIFY_OPTIONS,
  wait: flag(false),
  intervalMs: delayMs(0, 0),
} satisfies Checks<WalkOptions>

interface Resource {
  readonly sequence: StatusSequence<string>
  /** @throws at once, before anything has changed */
  readonly setStatus: StatusSequence<string>['setStatus']
}

export function createResource(kind: ResourceKind, overrides: Overrides, core: SandboxCore): Resource {
  const { dispatcher, configurations, ids, resources } = core
  const { payerKind, payeeKind, usualStatuses, toModel } = RESOURCE_EVENTS[kind]
  // What the caller has set. A status does not override it.
  let given = parseOverrides('data', overrides)
  const id = parseId(Object.hasOwn(given, 'id') ? given.id : ids.next(payerKind))
  if (id === undefined) throw new TypeError('"id" option must be an integer')
  const model = toModel(id, core)
  let data: SampleObject
  /** That of an invoice, once it has one. */
  let payment: Resource | undefined

  function setStatus(
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
      // The other events of a burst are about other resources in the same status.
      const otherId = BigInt(ids.next(payerKind))
      const other = { ...change(toModel(otherId, core)), id: otherId }
      rememberEvent(kind, other, core)
      return () => other
    }
    const sides = [
      ...configurations.recipients(payerKind, String(next.payerAccountId)),
      ...configurations.recipients(payeeKind, String(next.payeeAccountId)),
    ]
    const orders = toOrders(core, sides, { eventAt }, options)
    const merged = mergeChanges(givenBefore, wanted)
    const paid = payInvoice(toOwnPayment(kind, next, merged), options)
    // Nothing can throw from here on.
    given = merged
    keep(next)
    return Promise.all([paid, dispatcher.deliver(orders)]).then((all) => all.flat())
  }

  /** Gives the payment of an invoice the status that follows from that of the invoice. */
  function payInvoice(linked: ReturnType<typeof toOwnPayment>, options: NotifyOptions) {
    if (!linked || payment?.sequence.data.status === linked.status) return []
    const { status, ...changes } = linked
    payment ??= createResource('payments', changes, core)
    return payment.setStatus(status, changes, options)
  }

  function keep(next: SampleObject): void {
    data = next
    resources.keep(kind, String(id), { sequence, json: toWireJson(payerKind, next) })
  }

  const sequence: StatusSequence<string> = {
    id: String(id),
    get data() {
      return parseJson(toWireJson(payerKind, data)).exact as SampleObject
    },
    setStatus: async (...change) => await setStatus(...change),
    walk: async (statuses = usualStatuses, walkOptions = {}) => {
      if (!Array.isArray(statuses)) throw new TypeError('"statuses" must be a list of statuses')
      for (const status of statuses) assertStatus(status)
      const options = checkOptions('walk', walkOptions, WALK_OPTIONS)
      return await dispatcher.track(walk(sequence, [...statuses], options, dispatcher))
    },
  }
  const initial = changeResource(model, model.initial, given)
  keep(initial)
  const linked = toOwnPayment(kind, initial, given)
  if (linked) payment = createResource('payments', linked, core)
  return { sequence, setStatus }
}

async function walk(
  { setStatus }: StatusSequence<string>,
  statuses: readonly string[],
  { wait, intervalMs, ...options }: Checked<typeof WALK_OPTIONS>,
  { closing }: Dispatcher,
): Promise<Delivery[]> {
  const walked: Promise<Delivery[]>[] = []
  for (const [index, status] of statuses.entries()) {
    if (index > 0 && intervalMs > 0) await closing.pause(intervalMs)
    // The sandbox was closed or reset.
    if (index > 0 && closing.closed) break
    const deliveries = setStatus(status, {}, options)
    walked.push(deliveries)
    // A rejection is only awaited after the last pause.
    deliveries.catch(() => {})
    if (wait) await deliveries
  }
  return (await Promise.all(walked)).flat()
}

function assertStatus(status: unknown): void {
  if (typeof status !== 'string' || status === '')
    throw new TypeError('"status" must be a non-empty string, such as Complete')
}

/** What an invoice says about its payment, unless the caller set another one. */
function toOwnPayment(kind: ResourceKind, invoice: SampleObject, given: Overrides) {
  const isOwn = kind === 'invoices' && !Object.hasOwn(given, 'paymentId')
  return isOwn ? toLinkedPayment(invoice) : undefined
}
