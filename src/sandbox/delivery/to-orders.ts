import { type Checks, checkOptions, flag } from '../../option-checks.ts'
import { toEnvelope } from '../../testing/create-notification.ts'
import type { EventAt } from '../events/triggered-data.ts'
import type { Recipient } from '../state/configurations.ts'
import { createSignedBody, type DeliveryOrder, type SignedBody } from '../state/delivery.ts'
import { checkCopies, checkFaults, FAULTS, type Faults, toNextFaults } from '../state/faults.ts'
import type { SandboxState } from '../state/sandbox-state.ts'
import type { NotifyOptions } from '../state/status-sequence.ts'

export const NOTIFY_OPTIONS = {
  inline: flag(false),
  faults: (_name, value) => checkFaults(value as Faults | undefined, FAULTS),
} satisfies Checks<NotifyOptions>

/** The content of a notification: data for an envelope, or an exact body. */
export type Content = { readonly eventAt: EventAt } | { readonly body: string | Uint8Array }

/**
 * The deliveries that an event causes. Bodies after the first are created when their orders are consumed, so
 * that a large burst does not block the event loop.
 */
export function toOrders(
  { options: { clientId }, faults: planned, deliveries }: SandboxState,
  recipients: readonly Recipient[],
  content: Content,
  options: NotifyOptions,
  extras: Partial<Pick<DeliveryOrder, 'contentType' | 'redeliveryOf'>> = {},
): Iterable<DeliveryOrder> {
  const { inline, faults } = checkOptions('setStatus', options, NOTIFY_OPTIONS)
  const copies = checkCopies(faults, planned.current)
  const [nextPlanned, nextOwn] = [planned.nextOfNotification, toNextFaults(faults)]
  if (recipients.length === 0) return []
  const burst = faults.burst ?? planned.current.burst ?? 1
  const bodiesAt = toBodies(content, inline, burst, clientId)
  const first = bodiesAt(0)
  const kindOf = new Map(recipients.map((recipient) => [first(recipient), recipient.kind]))
  const bytes = [...kindOf].reduce((sum, [{ size }, { length }]) => sum + size + length, 0)
  deliveries.assertRoom(recipients.length * copies, 'body' in content ? bytes : bytes * burst)

  function* orders(): Generator<DeliveryOrder> {
    for (let index = 0; index < burst; index++) {
      const bodyFor = index === 0 ? first : bodiesAt(index)
      for (const recipient of recipients) {
        const { duplicate = 0, ...applied } = { ...nextPlanned(), ...nextOwn() }
        const order = {
          ...recipient,
          body: bodyFor(recipient),
          contentType: 'application/json',
          ...extras,
          faults: { ...applied, ...(duplicate > 0 && { duplicate }) },
        }
        for (let copy = 0; copy <= duplicate; copy++) yield order
      }
    }
  }
  return orders()
}

/** The bodies at each index of a burst. Recipients of one account share them. */
function toBodies(
  content: Content,
  inline: boolean,
  burst: number,
  clientId: string,
): (index: number) => (recipient: Recipient) => SignedBody {
  if ('body' in content) {
    const body = createSignedBody(content.body, clientId)
    return () => () => body
  }
  return (index) => {
    const dataFor = content.eventAt(index, burst)
    const bodies = new Map<string, SignedBody>()
    return ({ kind, configuration: { accountId } }) => {
      const key = `${kind} ${accountId}`
      const body = bodies.get(key) ?? createSignedBody(toEnvelope(kind, dataFor(accountId), inline), clientId)
      bodies.set(key, body)
      return body
    }
  }
}
