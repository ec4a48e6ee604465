import { signal } from '@preact/signals'
import { InvoiceStatus } from '../../../events/invoice-status.ts'
import { PaymentStatus, paymentStatusLabel } from '../../../events/payment-status.ts'
import { counted, kindLabel } from '../parts/format.ts'
import { Card, Tabs } from '../parts/frame.tsx'
import { Chip } from '../parts/icons.tsx'
import { attempt, run } from '../parts/notice.tsx'
import type { DeliverySummary } from './control-answers.ts'
import { control, type ResourceSort } from './control-api.ts'
import { LOOKS, outcome } from './delivery-looks.ts'
import { deliveryOf, take } from './delivery-store.ts'

/** The usual path of each, and the other statuses. */
const WAYS: Record<ResourceSort, { one: string; way: readonly string[]; off: readonly string[] }> = {
  payments: {
    one: 'payment',
    way: Object.values(PaymentStatus).filter((status) => !['Cancelled', 'Closed'].includes(status)),
    off: ['Cancelled', 'Closed'],
  },
  invoices: {
    one: 'invoice',
    way: ['Sent', 'Claimed', 'MarkAsPaid'],
    off: Object.values(InvoiceStatus).filter((status) => !['Sent', 'Claimed', 'MarkAsPaid'].includes(status)),
  },
}

interface Walk {
  readonly id: string
  /** Statuses so far, the current one last. */
  readonly statuses: readonly string[]
  readonly deliveries: readonly string[]
}

const sort = signal<ResourceSort>('payments')
const walks = signal<Readonly<Record<string, Walk>>>({})
const stepMs = signal(800)
const walking = signal(false)

/** A payment or an invoice in a diagram of its statuses. */
export function WalkView() {
  const { one, way, off } = WAYS[sort.value]
  const walk = walks.value[sort.value]
  return (
    <main class="page-pane">
      <div class="forms two">
        <div class="column">
          <Card
            title={walk ? `${one === 'payment' ? 'Payment' : 'Invoice'} ${walk.id}` : `No ${one} yet`}
            aside={
              <Tabs<ResourceSort>
                label="What to walk"
                value={sort.value}
                options={[
                  ['payments', 'Payment'],
                  ['invoices', 'Invoice'],
                ]}
                onChange={(value) => {
                  sort.value = value
                }}
              />
            }
          >
            <div class="body flow">
              <p class="soft">
                Choose a status: the {one} changes to it, and both sides are notified. Any status may follow
                any other.
              </p>
              <Statuses name="way" statuses={way} walk={walk} />
              <Statuses name="off" statuses={off} walk={walk} />
              <div class="actions">
                <button type="button" class="main" aria-disabled={walking.value} onClick={run(walkOn)}>
                  {walking.value ? 'Walking …' : 'Walk the usual way'}
                </button>
                <label class="check">
                  with
                  <select
                    value={String(stepMs.value)}
                    onChange={(event) => {
                      stepMs.value = Number(event.currentTarget.value)
                    }}
                  >
                    <option value="0">no pause</option>
                    <option value="800">0.8 s</option>
                    <option value="3000">3 s</option>
                  </select>
                  between
                </label>
                <button type="button" onClick={run(async () => void (await begin()))}>
                  New {one}
                </button>
              </div>
            </div>
          </Card>
        </div>
        <div class="column">
          <Notifications walk={walk} />
        </div>
      </div>
    </main>
  )
}

function Statuses({
  name,
  statuses,
  walk,
}: {
  name: string
  statuses: readonly string[]
  walk: Walk | undefined
}) {
  const current = walk?.statuses.at(-1)
  return (
    <ol class={name}>
      {statuses.map((status) => {
        const isPast = status !== current && walk?.statuses.includes(status)
        const label = sort.value === 'payments' ? paymentStatusLabel(status) : undefined
        return (
          <li key={status} class={isPast ? 'past' : ''}>
            <button
              type="button"
              class={isPast ? 'past' : ''}
              aria-current={status === current ? 'step' : undefined}
              onClick={run(() => step(status))}
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
  const deliveries = (walk?.deliveries ?? []).map((id) => deliveryOf(id)).filter((one) => one !== undefined)
  return (
    <Card title={counted(deliveries.length, 'notification', 'notifications')}>
      <div class="body" role="status">
        {deliveries.length === 0 && (
          <p class="soft">
            {walk && walk.statuses.length > 1
              ? 'Nobody is registered for these changes. Register a URL on the Set up page.'
              : 'What each change sends is listed here.'}
          </p>
        )}
        {deliveries.slice(-30).map((delivery) => (
          <div key={delivery.id} class="actions">
            <Chip tone={LOOKS[delivery.state].tone} icon={LOOKS[delivery.state].icon}>
              {LOOKS[delivery.state].label}
            </Chip>
            <a class="grow" href={`#/deliveries/${delivery.id}`}>
              {kindLabel(delivery.kind)}
            </a>
            <span class="soft">{outcome(delivery)}</span>
          </div>
        ))}
      </div>
    </Card>
  )
}

async function begin(): Promise<Walk> {
  const { id, data } = await control.createResource(sort.value, '{}')
  const walk = { id, statuses: [data.status], deliveries: [] }
  keep(sort.value, walk)
  return walk
}

async function step(status: string): Promise<void> {
  const of = sort.value
  const walk = walks.value[of] ?? (await begin())
  const { deliveries } = await control.setStatus(of, walk.id, status)
  arrive(of, walk.id, status, deliveries)
}

/** Continues from the current status, or walks a new one. */
async function walkOn(): Promise<void> {
  if (walking.value) return
  walking.value = true
  const of = sort.value
  const { way } = WAYS[of]
  try {
    const at = way.indexOf(walks.value[of]?.statuses.at(-1) ?? '')
    const walk = at < 0 || at === way.length - 1 ? await begin() : undefined
    const { id, statuses } = walk ?? walks.value[of] ?? (await begin())
    const rest = way.slice(way.indexOf(statuses.at(-1) ?? '') + 1)
    for (const [index, status] of rest.entries()) {
      if (index > 0) await new Promise((resolve) => setTimeout(resolve, stepMs.value))
      const { deliveries } = await control.setStatus(of, id, status)
      arrive(of, id, status, deliveries)
    }
  } finally {
    walking.value = false
  }
}

function arrive(of: ResourceSort, id: string, status: string, deliveries: readonly DeliverySummary[]): void {
  take(deliveries)
  const walk = walks.value[of]
  // A new one may have been created meanwhile.
  if (walk?.id !== id) return
  keep(of, {
    id,
    statuses: [...walk.statuses, status],
    deliveries: [...walk.deliveries, ...deliveries.map((delivery) => delivery.id)],
  })
}

function keep(of: ResourceSort, walk: Walk): void {
  walks.value = { ...walks.value, [of]: walk }
}

/** Walks, started by a key. */
export function startWalk(): void {
  void attempt(walkOn)
}
