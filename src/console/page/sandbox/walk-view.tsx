import { type Signal, signal } from '@preact/signals'
import { InvoiceStatus } from '../../../events/invoice-status.ts'
import { PaymentStatus, paymentStatusLabel } from '../../../events/payment-status.ts'
import type { ResourceKind } from '../../../sandbox/state/resources.ts'
import { Button, bind, Select, Tabs } from '../parts/fields.tsx'
import { counted } from '../parts/format.ts'
import { Card, Columns } from '../parts/frame.tsx'
import { control, WITHOUT_WAITING } from './control-api.ts'
import { DeliveryLines } from './delivery-looks.tsx'

interface Walk {
  readonly id: string
  readonly statuses: Signal<readonly string[]>
  /** The ids of the deliveries. */
  readonly sent: Signal<readonly string[]>
}

const RESOURCES = {
  payments: {
    one: 'Payment',
    usual: ['Drafted', 'Sent', 'PendingAuth', 'Authorized', 'InProgress', 'Complete'],
    all: Object.values(PaymentStatus) as readonly string[],
    walk: signal<Walk | undefined>(undefined),
  },
  invoices: {
    one: 'Invoice',
    usual: ['Sent', 'Claimed', 'MarkAsPaid'],
    all: Object.values(InvoiceStatus) as readonly string[],
    walk: signal<Walk | undefined>(undefined),
  },
}
const MAX_LISTED = 30

const kind = signal<ResourceKind>('payments')
const pauseMs = signal('800')
const isWalking = signal(false)

export function WalkView() {
  const { one, usual, all, walk } = RESOURCES[kind.value]
  const { id, statuses, sent } = walk.value ?? {}
  const shown = sent?.value.slice(-MAX_LISTED) ?? []
  return (
    <Columns
      main={
        <Card
          title={id ? `${one} ${id}` : `No ${one.toLowerCase()} yet`}
          aside={
            <Tabs
              label="What to walk"
              selected={kind}
              options={{ payments: 'Payment', invoices: 'Invoice' }}
            />
          }
        >
          <p class="soft">
            Choose a status: the {one.toLowerCase()} changes to it, and both sides are notified. Any status
            may follow any other.
          </p>
          <StatusButtons name="usual" statuses={usual} />
          <StatusButtons name="others" statuses={all.filter((status) => !usual.includes(status))} />
          <div class="actions">
            <Button
              look="main"
              disabled={isWalking.value}
              work={walkOn}
              text={isWalking.value ? 'Walking …' : 'Walk through the usual statuses'}
            />
            <Select
              label="Pause between"
              {...bind(pauseMs)}
              options={{ '0': 'without a pause', '800': '0.8 s apart', '3000': '3 s apart' }}
            />
            <Button work={() => create(kind.value)} text={`New ${one.toLowerCase()}`} />
          </div>
        </Card>
      }
      side={
        <Card title={counted(sent?.value.length ?? 0, 'notification')} isStatus>
          {shown.length === 0 && (
            <p class="soft">
              {statuses && statuses.value.length > 1
                ? 'No URL is registered for these changes. Register one on the Set up page.'
                : 'The notifications of each change are listed here.'}
            </p>
          )}
          <DeliveryLines ids={shown} />
        </Card>
      }
    />
  )
}

function StatusButtons({ name, statuses }: { name: string; statuses: readonly string[] }) {
  const passed = RESOURCES[kind.value].walk.value?.statuses.value ?? []
  const current = passed.at(-1)
  return (
    <ol class={`statuses ${name}`}>
      {statuses.map((status) => {
        const look = status !== current && passed.includes(status) ? 'past' : ''
        const label = kind.value === 'payments' ? paymentStatusLabel(status) : undefined
        return (
          <li key={status} class={look}>
            <Button
              look={look}
              isCurrent={status === current}
              work={() => step(kind.value, status)}
              text={[status, label !== undefined && label !== status && <small>{label}</small>]}
            />
          </li>
        )
      })}
    </ol>
  )
}

async function create(of: ResourceKind): Promise<Walk> {
  const { id, data } = await control(`POST ${of}`)
  const walk = { id, statuses: signal([data.status]), sent: signal([]) }
  RESOURCES[of].walk.value = walk
  return walk
}

let turn = Promise.resolve()

/** One step after the other: the first one may create what the next one is about. */
function step(of: ResourceKind, status: string, given?: Walk): Promise<void> {
  const take = () => takeStep(of, status, given)
  turn = turn.then(take, take)
  return turn
}

async function takeStep(of: ResourceKind, status: string, given?: Walk): Promise<void> {
  const { id, statuses, sent } = given ?? RESOURCES[of].walk.value ?? (await create(of))
  const call = { id, query: WITHOUT_WAITING, json: { status } }
  const { deliveries } = await control(`POST ${of}/:id/status`, call).catch((error) => {
    // The sandbox was reset, or has restarted: the next step begins a new walk.
    RESOURCES[of].walk.value = undefined
    throw error
  })
  statuses.value = [...statuses.value, status]
  sent.value = [...sent.value, ...deliveries.map((delivery) => delivery.id)]
}

/** Continues from the current status, or walks a new one. */
async function walkOn(): Promise<void> {
  const of = kind.value
  const { usual, walk: current } = RESOURCES[of]
  isWalking.value = true
  try {
    const at = usual.indexOf(current.value?.statuses.value.at(-1) ?? '')
    const canContinue = at >= 0 && at < usual.length - 1
    const walk = canContinue && current.value ? current.value : await create(of)
    const rest = usual.slice(usual.indexOf(walk.statuses.value.at(-1) ?? '') + 1)
    for (const [index, status] of rest.entries()) {
      if (index > 0) await new Promise((resolve) => setTimeout(resolve, Number(pauseMs.value)))
      await step(of, status, walk)
    }
  } finally {
    isWalking.value = false
  }
}
