import { EVENT_KINDS } from '../../../events/kinds.ts'
import { duration, kindLabel, shortTime } from '../parts/format.ts'
import { Split } from '../parts/frame.tsx'
import { Icon } from '../parts/icons.tsx'
import { go, route } from '../parts/route.ts'
import { WindowedList } from '../parts/windowed-list.tsx'
import { DeliveryDetail } from './delivery-detail.tsx'
import { LOOKS, outcome, STATES } from './delivery-looks.ts'
import * as store from './delivery-store.ts'
import { FirstSteps } from './first-steps.tsx'

/** The deliveries beside the one that is open. */
export function DeliveriesView() {
  const { id } = route.value
  const delivery = id === undefined ? undefined : store.deliveryOf(id)
  return (
    <Split
      open={id !== undefined}
      tools={<Tools />}
      list={store.listed.value.length > 0 ? <List id={id} /> : <NothingListed />}
      detail={
        delivery ? (
          <DeliveryDetail key={delivery.id} delivery={delivery} />
        ) : (
          <NothingOpen missing={id !== undefined && store.loaded.value} />
        )
      }
    />
  )
}

function Tools() {
  const [listed, total] = [store.listed.value.length, store.total.value]
  const count =
    listed === total
      ? total.toLocaleString('en')
      : `${listed.toLocaleString('en')} of ${total.toLocaleString('en')}`
  const kinds = [...new Set([...EVENT_KINDS, ...store.kinds.value])]
  return (
    <>
      <div class="row">
        <input
          id="search"
          class="grow"
          type="search"
          placeholder="Search in bodies"
          aria-label="Search in bodies"
          value={store.search.value}
          onInput={(event) => store.setSearch(event.currentTarget.value)}
        />
        <span class="soft" role="status">
          {count}
        </span>
      </div>
      <div class="row">
        <select
          class="grow"
          aria-label="Kind"
          value={store.kind.value}
          onChange={(event) => {
            store.kind.value = event.currentTarget.value
          }}
        >
          <option value="">All kinds</option>
          {kinds.map((kind) => (
            <option key={kind} value={kind}>
              {kindLabel(kind)}
            </option>
          ))}
        </select>
        <select
          aria-label="State"
          value={store.state.value}
          onChange={(event) => {
            store.state.value = event.currentTarget.value
          }}
        >
          <option value="">All states</option>
          {STATES.map((state) => (
            <option key={state} value={state}>
              {LOOKS[state].label}
            </option>
          ))}
        </select>
      </div>
    </>
  )
}

function List({ id }: { id: string | undefined }) {
  const ids = store.listed.value
  return (
    <WindowedList
      label="Deliveries"
      count={ids.length}
      idAt={(index) => ids[index] ?? ''}
      indexOf={store.placeOf}
      selected={id}
      onSelect={(wanted) => go('deliveries', wanted)}
      onOpen={() => setTimeout(() => document.getElementById('detail-title')?.focus())}
      row={(index) => <Row id={ids[index] ?? ''} />}
    />
  )
}

function Row({ id }: { id: string }) {
  const delivery = store.deliveryOf(id)
  if (!delivery) return null
  const { label, tone, icon } = LOOKS[delivery.state]
  const last = delivery.attempts.at(-1)
  const subject = [delivery.subject.status, delivery.subject.id].filter(Boolean).join(' ')
  return (
    <>
      <span class={`mark tone-${tone}`} title={label}>
        <Icon name={icon} />
        <span class="hidden">{label}</span>
      </span>
      <span class="first parts">
        <span>{kindLabel(delivery.kind)} </span>
        {subject && <span class="subject"> {subject}</span>}
      </span>
      <span class="at">{shortTime(delivery.createdAt)}</span>
      <span class="second">
        <span class={`tone-${tone}`}>{outcome(delivery)}</span> {delivery.redeliveryOf && 'resent '}
        {toPlace(delivery.url)}
      </span>
      <span class="at">{last && duration(last.durationMs)}</span>
    </>
  )
}

function toPlace(url: string): string {
  if (!URL.canParse(url)) return url
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

function NothingListed() {
  if (!store.loaded.value) return <p class="empty">Loading …</p>
  if (store.total.value === 0)
    return <p class="empty">What the sandbox sends is listed here as it happens.</p>
  return (
    <div class="empty">
      <h2>Nothing matches</h2>
      <button
        type="button"
        onClick={() => {
          store.kind.value = ''
          store.state.value = ''
          store.setSearch('')
        }}
      >
        Show all deliveries
      </button>
    </div>
  )
}

function NothingOpen({ missing }: { missing: boolean }) {
  if (missing) return <p class="empty">The sandbox does not remember this delivery any more.</p>
  if (store.loaded.value && store.total.value === 0) return <FirstSteps />
  return (
    <div class="empty">
      <h2>Choose a delivery</h2>
      <p>It shows what was sent, how it was signed, and what your receiver answered to each attempt.</p>
      <p>
        <kbd>j</kbd> <kbd>k</kbd> to move, <kbd>r</kbd> to resend, <kbd>e</kbd> to edit and resend,{' '}
        <kbd>?</kbd> for all keys.
      </p>
    </div>
  )
}
