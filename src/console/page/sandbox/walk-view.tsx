import { signal } from '@preact/signals'
import { InvoiceStatus } from '../../../events/invoice-status.ts'
import { PaymentStatus, paymentStatusLabel } from '../../../events/payment-status.ts'
import type { ResourceKind } from '../../../sandbox/state/resources.ts'
import { Button, bind, Select, Tabs } from '../parts/fields.tsx'
import { counted } from '../parts/format.ts'
import { Card, Columns } from '../parts/frame.tsx'
import { showErrors } from '../parts/notice.tsx'
import { control, WITHOUT_WAITING } from './control-api.ts'
import { DeliveryLine } from './delivery-looks.tsx'
import { deliveryOf, take } from './delivery-store.ts'

const STATUSES: Record<ResourceKind, { one: string; usual: readonly string[]; all: readonly string[] }> = {
  payments: {
    one: 'payment',
    usual: ['Drafted', 'Sent', 'PendingAuth', 'Authorized', 'InProgress', 'Complete'],
    all: Object.values(PaymentStatus),
  },
  invoices: {
    one: 'invoice',
    usual: ['Sent', 'Claimed', 'MarkAsPaid'],
    all: Object.values(InvoiceStatus),
  },
}

interface Walk {
  readonly id: string
  readonly statuses: readonly string[]
  readonly deliveries: readonly string[]
}

const kind = signal<ResourceKind>('payments')
const walks = signal<Readonly<Partial<Record<ResourceKind, Walk>>>>({})
const stepMs = signal('800')
const isWalking = signal(false)

export function WalkView() {
  const { one, usual, all } = STATUSES[kind.value]
  const walk = walks.value[kind.value]
  return (
    <Columns
      main={
        <Card
          title={walk ? `${one === 'payment' ? 'Payment' : 'Invoice'} ${walk.id}` : `No ${one} yet`}
          aside={
            <Tabs
              label="What to walk"
              selected={kind}
              options={{ payments: 'Payment', invoices: 'Invoice' }}
            />
          }
        >
          <p class="soft">
            Choose a status: the {one} changes to it, and both sides are notified. Any status may follow any
            other.
          </p>
          <StatusButtons name="usual" statuses={usual} walk={walk} />
          <StatusButtons
            name="others"
            statuses={all.filter((status) => !usual.includes(status))}
            walk={walk}
          />
          <div class="actions">
            <Button look="main" disabled={isWalking.value} work={walkOn}>
              {isWalking.value ? 'Walking …' : 'Walk through the usual statuses'}
            </Button>
            {/* biome-ignore lint/a11y/noLabelWithoutControl: the control is the select. */}
            <label class="check">
              with
              <Select {...bind(stepMs)} options={{ '0': 'no pause', '800': '0.8 s', '3000': '3 s' }} />
              between
            </label>
            <Button work={create}>New {one}</Button>
          </div>
        </Card>
      }
      side={<Notifications walk={walk} />}
    />
  )
}

function StatusButtons(props: { name: string; statuses: readonly string[]; walk: Walk | undefined }) {
  const { name, statuses, walk } = props
  const current = walk?.statuses.at(-1)
  return (
    <ol class={`statuses ${name}`}>
      {statuses.map((status) => {
        const isPast = status !== current && walk?.statuses.includes(status)
        const label = kind.value === 'payments' ? paymentStatusLabel(status) : undefined
        return (
          <li key={status} class={isPast ? 'past' : ''}>
            <button
              type="button"
              class={isPast ? 'past' : ''}
              aria-current={status === current ? 'step' : undefined}
              onClick={() => void showErrors(() => step(status))}
            >
              {status}
              {label !== undefined && label !== status && <small>{label}</small>}
            </button>
          </li>
        )
      })}
    </ol>
  )
}

function Notifications({ walk }: { walk: Walk | undefined }) {
  const deliveries = (walk?.deliveries ?? []).flatMap((id) => deliveryOf(id) ?? [])
  return (
    <Card title={counted(deliveries.length, 'notification')} isStatus>
      {deliveries.length === 0 && (
        <p class="soft">
          {walk && walk.statuses.length > 1
            ? 'No URL is registered for these changes. Register one on the Set up page.'
            : 'The notifications of each change are listed here.'}
        </p>
      )}
      {deliveries.slice(-30).map((delivery) => (
        <DeliveryLine key={delivery.id} delivery={delivery} />
      ))}
    </Card>
  )
}

async function create(): Promise<Walk> {
  const of = kind.value
  const { id, data } = await control(`POST ${of}`)
  const walk = { id, statuses: [data.status], deliveries: [] }
  walks.value = { ...walks.value, [of]: walk }
  return walk
}

async function step(status: string): Promise<void> {
  const of = kind.value
  const { id } = walks.value[of] ?? (await create())
  await setStatus(of, id, status)
}

/** Continues from the current status, or walks a new one. */
async function walkOn(): Promise<void> {
  const of = kind.value
  const { usual } = STATUSES[of]
  isWalking.value = true
  try {
    const current = walks.value[of]
    const at = usual.indexOf(current?.statuses.at(-1) ?? '')
    const { id, statuses } = current && at >= 0 && at < usual.length - 1 ? current : await create()
    const rest = usual.slice(usual.indexOf(statuses.at(-1) ?? '') + 1)
    for (const [index, status] of rest.entries()) {
      if (index > 0) await new Promise((resolve) => setTimeout(resolve, Number(stepMs.value)))
      await setStatus(of, id, status)
    }
  } finally {
    isWalking.value = false
  }
}

async function setStatus(of: ResourceKind, id: string, status: string): Promise<void> {
  const { deliveries } = await control(`POST ${of}/:id/status`, {
    id,
    query: WITHOUT_WAITING,
    body: JSON.stringify({ status }),
  })
  take(deliveries)
  const walk = walks.value[of]
  // A new one may have been created meanwhile.
  if (walk?.id !== id) return
  const ids = deliveries.map((delivery) => delivery.id)
  const changed = { id, statuses: [...walk.statuses, status], deliveries: [...walk.deliveries, ...ids] }
  walks.value = { ...walks.value, [of]: changed }
}
