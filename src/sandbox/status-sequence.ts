import type { EventKind } from '../events/kinds.ts'
import { assertOptions, booleanOption } from '../option-checks.ts'
import { applyOverrides, type Overrides, type SampleObject } from '../testing/sample-data.ts'
import { checkNotifyOptions } from './check-notify-options.ts'
import type { Delivery } from './delivery.ts'
import type { Notifier } from './notifier.ts'
import { toNumericAccounts } from './numeric-accounts.ts'
import { parseOverrides } from './parse-overrides.ts'
import type { NotifyOptions, StatusSequence, WalkOptions } from './sandbox.ts'

/** What makes a payment a payment, and an invoice an invoice. */
export interface SequenceRules {
  readonly payerKind: EventKind
  readonly payeeKind: EventKind
  readonly usualWay: readonly string[]
  /** What changes with a status beside it. */
  readonly stages: Readonly<Record<string, Overrides>>
}

/** @throws TypeError for data that is no JSON object, or that has no usable id */
export function createStatusSequence(
  initial: SampleObject,
  overrides: Overrides,
  { payerKind, payeeKind, usualWay, stages }: SequenceRules,
  notifier: Notifier,
): StatusSequence<string> {
  const own = parseOverrides('data', overrides)
  let data = toNumericAccounts(applyOverrides(initial, own))
  const id = String(data.id)
  if (!/^\d+$/.test(id)) throw new TypeError('"id" option must be an integer')
  // What the caller set stays as it is, whatever a status brings along.
  const given = new Set(Object.keys(own))

  async function setStatus(
    status: string,
    changes: Overrides = {},
    options: NotifyOptions = {},
  ): Promise<Delivery[]> {
    assertStatus(status)
    assertOptions(options, ['inline', 'faults'])
    const wanted = parseOverrides('changes', changes)
    const stage = Object.hasOwn(stages, status) ? (stages[status] ?? {}) : {}
    const usual = Object.fromEntries(
      Object.entries(stage).filter(([name]) => !given.has(name) && !Object.hasOwn(wanted, name)),
    )
    const next = toNumericAccounts(applyOverrides(applyOverrides(data, usual), { ...wanted, status }))
    const { payerAccountId: payer, payeeAccountId: payee } = next
    const orders = [
      ...notifier.prepare(payerKind, () => next, { ...options, accountId: String(payer) }),
      ...notifier.prepare(payeeKind, () => next, { ...options, accountId: String(payee) }),
    ]
    // All that may be refused has been by now.
    data = next
    for (const name of Object.keys(wanted)) given.add(name)
    return await notifier.deliver(orders)
  }

  async function go(statuses: readonly string[], wait: boolean, options: NotifyOptions): Promise<Delivery[]> {
    const walked: Promise<Delivery[]>[] = []
    for (const status of statuses) {
      const deliveries = setStatus(status, {}, options)
      walked.push(deliveries)
      if (wait) await deliveries
    }
    return (await Promise.all(walked)).flat()
  }

  return {
    id,
    get data() {
      return structuredClone(data)
    },
    setStatus,
    walk: async (statuses = usualWay, { wait, ...options }: WalkOptions = {}) => {
      if (!Array.isArray(statuses)) throw new TypeError('"statuses" must be a list of statuses')
      for (const status of statuses) assertStatus(status)
      assertOptions(options, ['inline', 'faults'])
      checkNotifyOptions(options)
      return await notifier.track(go([...statuses], booleanOption('wait', wait, false), options))
    },
  }
}

function assertStatus(status: unknown): void {
  if (typeof status !== 'string' || status === '') throw new TypeError('"status" must be a status')
}
