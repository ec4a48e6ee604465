import { validateHeaderValue } from 'node:http'
import { type Body, toBytes } from '../../body-bytes.ts'
import { isEventKind } from '../../events/kinds.ts'
import { type Checks, checkOptions, invalidOption, optional, text } from '../../option-checks.ts'
import { parseData, parseOverrides } from '../events/parse-overrides.ts'
import { toTriggeredEvents } from '../events/triggered-data.ts'
import type { TriggerOptions } from '../sandbox.ts'
import type { Delivery } from '../state/delivery.ts'
import type { SandboxCore } from './dispatcher.ts'
import { type Content, NOTIFY_OPTIONS, toOrders } from './to-orders.ts'

const TRIGGER_OPTIONS = {
  ...NOTIFY_OPTIONS,
  accountId: optional(text()),
  body: optional(parseBody),
  contentType: optional((name, value) => {
    const contentType = text()(name, value)
    validateHeaderValue('Content-Type', contentType)
    return contentType
  }),
} satisfies Checks<TriggerOptions>

/** @see Sandbox.trigger */
export async function trigger(
  kind: string,
  data: unknown,
  options: TriggerOptions,
  core: SandboxCore,
): Promise<Delivery[]> {
  // Unknown kinds are allowed.
  text()('kind', kind)
  const { accountId, body, contentType, ...notifyOptions } = checkOptions('trigger', options, TRIGGER_OPTIONS)
  const content = toContent(kind, data, body, core)
  const extras = contentType === undefined ? {} : { contentType }
  const recipients = core.configurations.recipients(kind, accountId)
  return await core.dispatcher.deliver(toOrders(core, recipients, content, notifyOptions, extras))
}

function toContent(
  kind: string,
  data: unknown,
  body: string | Uint8Array | undefined,
  core: SandboxCore,
): Content {
  if (body !== undefined) {
    if (data !== undefined) throw new TypeError('options must not have both "body" and "data"')
    return { body }
  }
  const given = data === undefined ? {} : data
  if (isEventKind(kind)) return { eventAt: toTriggeredEvents(kind, parseOverrides('data', given), core) }
  const copy = parseData('data', given)
  return { eventAt: () => () => copy }
}

export function parseBody(name: string, body: unknown): string | Uint8Array {
  if (typeof body === 'string') return body
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return toBytes(body as Body).slice()
  throw invalidOption(name, 'a string, a Uint8Array or an ArrayBuffer', body)
}
