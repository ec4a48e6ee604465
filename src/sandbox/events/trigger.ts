import { validateHeaderValue } from 'node:http'
import { type Body, toBytes } from '../../body-bytes.ts'
import { EVENT_KINDS, type EventKind } from '../../events/kinds.ts'
import { assertOptions } from '../../option-checks.ts'
import type { Delivery } from '../delivery/delivery.ts'
import type { TriggerOptions } from '../sandbox.ts'
import type { Configurations } from '../state/configurations.ts'
import { assertKind } from './check-notify-options.ts'
import type { Content, Recipient } from './notifier.ts'
import { parseData, parseOverrides } from './parse-overrides.ts'
import type { SequenceContext } from './status-sequence.ts'
import { toTriggeredEvents } from './triggered-data.ts'

/** @see Sandbox.trigger */
export async function trigger(
  kind: string,
  data: unknown,
  options: TriggerOptions,
  context: SequenceContext,
): Promise<Delivery[]> {
  assertKind(kind)
  assertOptions(options, ['inline', 'accountId', 'faults', 'body', 'contentType'])
  const { accountId, body, contentType, ...notifyOptions } = options
  if (accountId !== undefined && typeof accountId !== 'string')
    throw new TypeError('"accountId" option must be a string')
  if (contentType !== undefined) checkContentType(contentType)
  const content = toContent(kind, data, body, context)
  const { notifier, recipients } = context
  const extras = contentType === undefined ? {} : { contentType }
  return await notifier.deliver(notifier.prepare(recipients(kind, accountId), content, notifyOptions, extras))
}

/**
 * The Active configurations of a kind, of one account or all. Nobody can register for an unknown kind, so it
 * goes to every callback URL once.
 */
export function findRecipients(
  configurations: Configurations,
  kind: string,
  accountId?: string,
): Recipient[] {
  if (isEventKind(kind))
    return configurations.active({ event: kind, accountId }).map((configuration) => ({ kind, configuration }))
  const byUrl = new Map(
    configurations.active({ accountId }).map((one) => [`${one.accountId} ${one.callbackUrl}`, one]),
  )
  return [...byUrl.values()].map((configuration) => ({ kind, configuration }))
}

function toContent(kind: string, data: unknown, body: unknown, context: SequenceContext): Content {
  if (body !== undefined) {
    if (data !== undefined) throw new TypeError('options must not have both "body" and "data"')
    return { body: parseBody(body) }
  }
  const given = data === undefined ? {} : data
  if (isEventKind(kind)) return { eventAt: toTriggeredEvents(kind, parseOverrides('data', given), context) }
  const copy = parseData('data', given)
  return { eventAt: () => () => copy }
}

/** @throws TypeError if the body is neither a string nor bytes */
export function parseBody(body: unknown): string | Uint8Array {
  if (typeof body === 'string') return body
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return toBytes(body as Body).slice()
  throw new TypeError('"body" option must be a string, a Uint8Array or an ArrayBuffer')
}

function checkContentType(contentType: unknown): void {
  if (typeof contentType !== 'string') throw new TypeError('"contentType" option must be a string')
  validateHeaderValue('Content-Type', contentType)
}

function isEventKind(kind: string): kind is EventKind {
  return (EVENT_KINDS as readonly string[]).includes(kind)
}
