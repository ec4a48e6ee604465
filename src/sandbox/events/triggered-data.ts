import type { EventKind } from '../../events/kinds.ts'
import { idField, type Overrides, type SampleValue, sampleData } from '../../testing/sample-data.ts'
import { APPLICATION, USERS } from '../state/accounts.ts'
import { parseId } from '../state/resource-ids.ts'
import { RESOURCE_KINDS } from '../state/resources.ts'
import type { SandboxState } from '../state/sandbox-state.ts'
import { RESOURCE_EVENTS, rememberEvent } from './resource-events.ts'
import { changeResource, type ResourceModel } from './resource-model.ts'

/** The event at an index of a burst, or the only one, as data from the view of one account. */
export type EventAt = (index: number, burst: number) => (accountId: string) => SampleValue

const [FIRST_USER] = USERS

/**
 * The events of a trigger: samples of the kind with the changes, about the notified account. Each has a new
 * resource, unless the changes have an id, which a burst counts up.
 */
export function toTriggeredEvents(kind: EventKind, changes: Overrides, state: SandboxState): EventAt {
  const resource = RESOURCE_KINDS.find((one) => {
    const { payerKind, payeeKind } = RESOURCE_EVENTS[one]
    return kind === payerKind || kind === payeeKind
  })
  const ownSide =
    resource && (kind === RESOURCE_EVENTS[resource].payerKind ? 'payerAccountId' : 'payeeAccountId')
  const sample = sampleData(kind)
  const idName = idField(kind)
  const isNamed = Object.hasOwn(changes, idName)
  const named = isNamed ? parseId(changes[idName]) : undefined
  return (index, burst) => {
    const id = named === undefined ? BigInt(state.ids.next(kind)) : named + BigInt(index)
    const model: ResourceModel = resource
      ? RESOURCE_EVENTS[resource].toModel(id, state)
      : { initial: { ...sample, [idName]: id }, fieldsOf: () => ({}), parts: {} }
    const wanted = isNamed && index > 0 ? { ...changes, [idName]: id } : changes
    return (accountId) => {
      const data = changeResource(model, model.initial, {
        status: sample.status,
        // An account has one status, so a burst is about many accounts.
        ...(kind === 'ACCOUNT_STATUS_UPDATED' && burst === 1 && { id: Number(accountId) }),
        ...(ownSide && toSides(ownSide, accountId, wanted)),
        ...wanted,
      })
      if (resource) rememberEvent(resource, data, state)
      return data
    }
  }
}

/** The other side is the first user, or the application if the first user is notified. */
function toSides(
  side: 'payerAccountId' | 'payeeAccountId',
  accountId: string,
  changes: Overrides,
): Overrides {
  const own = String(Object.hasOwn(changes, side) ? changes[side] : accountId)
  const other = own === FIRST_USER.accountId ? APPLICATION : FIRST_USER
  return {
    [side]: Number(accountId),
    [side === 'payerAccountId' ? 'payeeAccountId' : 'payerAccountId']: Number(other.accountId),
  }
}
