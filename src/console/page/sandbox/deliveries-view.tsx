import { EVENT_KINDS } from '../../../events/kinds.ts'
import { Button, bind, Checkbox, kindOptions, SearchField, Select } from '../parts/fields.tsx'
import { duration } from '../parts/format.ts'
import { Empty } from '../parts/frame.tsx'
import { ListDetail, Row } from '../parts/list-detail.tsx'
import { go } from '../parts/route.ts'
import { control } from './control-api.ts'
import { DeliveryDetail } from './delivery-detail.tsx'
import { LOOKS, outcome } from './delivery-looks.tsx'
import * as store from './delivery-store.ts'

export function DeliveriesView() {
  return (
    <ListDetail
      label="Deliveries"
      listing={store.listing}
      tools={<Tools />}
      row={(id) => <DeliveryRow id={id} />}
      empty={<NothingListed />}
      overview={<Overview />}
      detail={(id) => <Detail id={id} />}
    />
  )
}

function Detail({ id }: { id: string }) {
  const delivery = store.deliveryOf(id)
  if (delivery) return <DeliveryDetail delivery={delivery} />
  return <p class="soft">{store.loaded.value ? 'The sandbox no longer has this delivery.' : 'Loading …'}</p>
}

function Tools() {
  const [listed, total] = [store.listing.ids.value.length, store.total.value]
  const states = Object.fromEntries(Object.entries(LOOKS).map(([state, { label }]) => [state, label]))
  return (
    <>
      <div class="actions">
        <SearchField label="Search in bodies and subjects" text={store.search} />
        <span class="soft" role="status">
          {listed !== total && `${listed.toLocaleString('en')} of `}
          {total.toLocaleString('en')}
        </span>
      </div>
      <div class="actions">
        <Select
          class="grow"
          aria-label="Kind"
          {...bind(store.kind)}
          options={{ '': 'All kinds', ...kindOptions([...EVENT_KINDS, ...store.kinds.value]) }}
        />
        <Select aria-label="State" {...bind(store.state)} options={{ '': 'All states', ...states }} />
      </div>
      <div class="actions">
        <Checkbox checked={store.following.value} work={follow}>
          Follow the newest
        </Checkbox>
        <span class="grow" />
        <Button look="small" disabled={total === 0} work={() => control('DELETE deliveries')}>
          Clear
        </Button>
      </div>
    </>
  )
}

function follow(isWanted: boolean): void {
  store.following.value = isWanted
  const [newest] = store.listing.ids.value
  if (isWanted && newest !== undefined) go(store.listing.view, newest)
}

function DeliveryRow({ id }: { id: string }) {
  const delivery = store.deliveryOf(id)
  if (!delivery) return null
  const { state, kind, createdAt, attempts, redeliveryOf, url } = delivery
  const last = attempts.at(-1)
  const look = LOOKS[state]
  return (
    <Row
      look={look}
      kind={kind}
      of={delivery}
      at={createdAt}
      outcome={<span class={`tone-${look.tone}`}>{outcome(delivery)}</span>}
      end={last && duration(last.durationMs)}
    >
      {redeliveryOf && 'resent '}
      {url.replace(/^https?:\/\/|[?#].*/g, '')}
    </Row>
  )
}

function NothingListed() {
  if (!store.loaded.value) return <p class="empty">Loading …</p>
  if (store.total.value === 0)
    return (
      <Empty title="Nothing has been sent yet">
        <p>
          <a href="#/setup">Register the URL</a> of your receiver, then{' '}
          <a href="#/send">send a notification</a>.
        </p>
      </Empty>
    )
  const showAll = () => {
    store.kind.value = ''
    store.state.value = ''
    store.search.value = ''
  }
  return (
    <Empty title="No matches">
      <Button work={showAll}>Show all deliveries</Button>
    </Empty>
  )
}

function Overview() {
  return (
    <Empty title="Choose a delivery">
      <p>It shows what was sent, how it was signed, and the receiver's response to each attempt.</p>
    </Empty>
  )
}
