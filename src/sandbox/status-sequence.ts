import type { EventKind } from '../events/kinds.ts'
import { booleanOption } from '../option-checks.ts'
import { applyOverrides, type Overrides, type SampleObject } from '../testing/sample-data.ts'
import type { Delivery } from './delivery.ts'
import { assertData, checkNotifyOptions } from './notifier.ts'
import type { NotifyOptions, StatusSequence, WalkOptions } from './sandbox.ts'

/** What makes a payment a payment, and an invoice an invoice. */
export interface SequenceRules {
  readonly payerKind: EventKind
  readonly payeeKind: EventKind
  readonly usualWay: readonly string[]
  /** What changes with a status beside it. */
  readonly stages: Readonly<Record<string, Overrides>>
}

export type Notify = (
  kind: EventKind,
  data: SampleObject,
  options: NotifyOptions & { accountId: string },
) => Promise<Delivery[]>

/** @throws TypeError for data that is not an object, or that has no usable id */
export function createStatusSequence(
  initial: SampleObject,
  overrides: Overrides,
  { payerKind, payeeKind, usualWay, stages }: SequenceRules,
  notify: Notify,
): StatusSequence<string> {
  assertData(overrides)
  let data = applyOverrides(initial, overrides)
  const id = String(data.id)
  if (!/^\d+$/.test(id)) throw new TypeError('"id" option must be an integer')
  // What the caller set stays as it is, whatever a status brings along.
  const given = new Set(Object.keys(overrides))

  async function setStatus(
    status: string,
    changes: Overrides = {},
    options: NotifyOptions = {},
  ): Promise<Delivery[]> {
    assertStatus(status)
    assertData(changes)
    checkNotifyOptions(options)
    for (const name of Object.keys(changes)) given.add(name)
    const stage = Object.hasOwn(stages, status) ? (stages[status] ?? {}) : {}
    const usual = Object.fromEntries(Object.entries(stage).filter(([name]) => !given.has(name)))
    data = applyOverrides(applyOverrides(data, usual), { ...changes, status })
    const { payerAccountId: payer, payeeAccountId: payee } = data
    const deliveries = await Promise.all([
      notify(payerKind, data, { ...options, accountId: String(payer) }),
      notify(payeeKind, data, { ...options, accountId: String(payee) }),
    ])
    return deliveries.flat()
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
      checkNotifyOptions(options)
      const waits = booleanOption('wait', wait, false)
      const walked: Promise<Delivery[]>[] = []
      for (const status of statuses) {
        const deliveries = setStatus(status, {}, options)
        walked.push(deliveries)
        if (waits) await deliveries
      }
      return (await Promise.all(walked)).flat()
    },
  }
}

function assertStatus(status: unknown): void {
  if (typeof status !== 'string' || status === '') throw new TypeError('"status" must be a status')
}
