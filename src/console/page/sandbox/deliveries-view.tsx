import { EVENT_KINDS } from '../../../events/kinds.ts'
import { Button, bind, Checkbox, kindOptions, SearchField, Select } from '../parts/fields.tsx'
import { duration } from '../parts/format.ts'
import { Empty } from '../parts/frame.tsx'
import { ListDetail, Row } from '../parts/list-detail.tsx'
import { go } from '../parts/route.ts'
import { control } from './control-api.ts'
import { DeliveryDetail } from './delivery-detail.tsx'
import { LOOKS, outcome } from './delivery-looks.tsx'
import { deliveryOf, following, listing } from './delivery-store.ts'

const { state, kind, search } = listing.filter
const STATES = Object.fromEntries([
  ['', 'All states'],
  ...Object.entries(LOOKS).map(([name, { label }]) => [name, label]),
])

export function DeliveriesView() {
  return (
    <ListDetail
      label="Deliveries"
      listing={listing}
      tools={<Tools />}
      row={(id) => <DeliveryRow id={id} />}
      empty={
        state.value === '' && (
          <Empty title="Nothing has been sent yet">
            <a href="#/setup">Register the URL</a> of your receiver, then{' '}
            <a href="#/send">send a notification</a>.
          </Empty>
        )
      }
      overview={
        <Empty title="Choose a delivery">
          It shows what was sent, how it was signed, and the receiver's response to each attempt.
        </Empty>
      }
      detail={(id) => <DeliveryDetail id={id} />}
    />
  )
}

function Tools() {
  return (
    <>
      <div class="actions">
        <SearchField label="Search in bodies and subjects" text={search} />
        <span class="soft" role="status">
          {!listing.failure.value && listing.total.value.toLocaleString('en')}
        </span>
        <Button look="small" work={() => control('DELETE deliveries')} text="Clear" />
      </div>
      <div class="actions">
        <Select
          class="grow"
          label="Kind"
          {...bind(kind)}
          options={kindOptions([...EVENT_KINDS, ...listing.kinds.value])}
        />
        <Select label="State" {...bind(state)} options={STATES} />
      </div>
      <Checkbox checked={following.value} work={follow}>
        Follow the newest
      </Checkbox>
    </>
  )
}

function follow(isWanted: boolean): void {
  following.value = isWanted
  const [newest] = listing.ids.value
  if (isWanted && newest !== undefined) go(listing.view, newest)
}

function DeliveryRow({ id }: { id: string }) {
  const delivery = deliveryOf(id)
  if (!delivery) return null
  const look = LOOKS[delivery.state]
  const last = delivery.attempts.at(-1)
  return (
    <Row
      view={listing.view}
      id={id}
      look={look}
      kind={delivery.kind}
      of={delivery}
      at={delivery.createdAt}
      outcome={<span class={`tone-${look.tone}`}>{outcome(delivery)}</span>}
      end={last && duration(last.durationMs)}
    >
      {delivery.redeliveryOf && 'resent '}
      {delivery.url.replace(/^https?:\/\/|[?#].*/g, '')}
    </Row>
  )
}
