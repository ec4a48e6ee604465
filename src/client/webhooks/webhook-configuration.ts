import * as z from 'zod/mini'
import { openText, text } from '../../events/fields.ts'
import { identifierSchema, onExactData } from '../../events/identifier.ts'
import type { EventKind } from '../../events/kinds.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json-value.ts'
import { OptionError } from '../../option-checks.ts'

export const configurationSchema = z.looseObject({
  /** Assigned by the service, a decimal string. */
  id: identifierSchema,
  /** The kind of event. */
  event: openText<EventKind>(),
  /** Where its notifications go. */
  callbackUrl: text,
  /** `Active`, or `Inactive` once it is deleted. */
  status: openText<'Active' | 'Inactive'>(),
})

/** A callback configuration: one URL for one kind of event. Unknown fields are kept. */
export type WebhookConfiguration = z.output<typeof configurationSchema>

const deletedSchema = z.partial(configurationSchema, { event: true, callbackUrl: true })

/** A deleted configuration, with what the service responded about it. */
export type DeletedWebhook = z.output<typeof deletedSchema>

/** What a configuration should be. */
export interface DesiredWebhook {
  /** One of the ten kinds, or one that this version of payhook does not know. */
  readonly event: EventKind | (string & {})
  /** An absolute URL. {@link withCallbackToken} adds a secret to it. */
  readonly callbackUrl: string
}

/**
 * Reads a configuration; `undefined` if it is not one. Requests spell the URL `callbackURL` and responses
 * `callbackUrl`; both are accepted. What the response leaves out is taken from the request.
 */
export function toConfiguration(
  body: JsonValue | undefined,
  requested: Partial<WebhookConfiguration>,
): WebhookConfiguration | undefined {
  if (!isJsonObject(body)) return undefined
  return onExactData(() => configurationSchema.safeParse({ ...requested, ...toStated(body) }).data)
}

/** Reads the response to a delete, which may be empty. */
export function toDeleted(body: JsonValue | undefined, deleted: DeletedWebhook): DeletedWebhook {
  if (!isJsonObject(body)) return deleted
  return onExactData(() => deletedSchema.safeParse({ ...deleted, ...toStated(body) }).data) ?? deleted
}

function toStated({ callbackURL, ...rest }: JsonObject): JsonObject {
  const stated = Object.entries({ callbackUrl: callbackURL ?? null, ...rest })
  return Object.fromEntries(stated.filter(([, value]) => value !== null))
}

/** Whether a configuration gets notifications. Some services list deleted ones, with other statuses. */
export function isActive({ status }: Pick<WebhookConfiguration, 'status'>): boolean {
  return status === 'Active'
}

/** A key that is equal for equivalent configurations: the service may add a slash or drop a default port. */
export function toKey({ event, callbackUrl }: DesiredWebhook): string {
  // A fragment is never sent.
  const href = URL.canParse(callbackUrl) ? new URL(callbackUrl).href.replace(/#.*/s, '') : callbackUrl
  return JSON.stringify([event, href])
}

export function toDesired(desired: unknown): DesiredWebhook {
  const { event, callbackUrl } = Object(desired) as Partial<DesiredWebhook>
  if (typeof event !== 'string' || event === '')
    throw new OptionError('event', 'a kind of event, such as INBOUND_PAYMENT_STATUS_UPDATED')
  // URL() drops spaces, which the service may keep.
  if (typeof callbackUrl === 'string' && /^https?:\/\/\S+$/i.test(callbackUrl) && URL.canParse(callbackUrl))
    return { event, callbackUrl }
  throw new OptionError('callbackUrl', 'an absolute URL, such as https://shop.example/webhooks')
}

export function compareIds(left: string, right: string): number {
  return Number(BigInt(left) - BigInt(right))
}
