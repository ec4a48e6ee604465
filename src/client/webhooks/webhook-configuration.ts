import * as z from 'zod/mini'
import type { EventKind } from '../../events/kinds.ts'
import { openText, text } from '../../events/text.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json-value.ts'
import { exactIdentifierSchema } from './exact-identifier.ts'

const configurationSchema = z.looseObject({
  id: exactIdentifierSchema,
  event: openText<EventKind>(),
  callbackUrl: text,
  status: openText<'Active' | 'Inactive'>(),
})

/** A callback configuration: one URL, subscribed to one kind of event. Unknown fields are kept. */
export type WebhookConfiguration = z.output<typeof configurationSchema>

const deletedSchema = z.looseObject({
  id: exactIdentifierSchema,
  event: z.optional(openText<EventKind>()),
  callbackUrl: z.optional(text),
  status: openText<'Active' | 'Inactive'>(),
})

/** A configuration that is no more: all that the service said of it. */
export type DeletedWebhook = z.output<typeof deletedSchema>

/** What a configuration is wanted to be. */
export interface DesiredWebhook {
  /** One of the ten kinds, or one that this version of payhook does not know. */
  readonly event: EventKind | (string & {})
  /** An absolute URL; {@link withCallbackToken} puts a secret into it. */
  readonly callbackUrl: string
}

/**
 * A configuration as the service wrote it. The request spells the URL `callbackURL` and the answer
 * `callbackUrl`; either is taken, and what an answer leaves out is what was asked for.
 *
 * @returns `undefined` when it is none
 */
export function toConfiguration(
  body: JsonValue | undefined,
  requested: JsonObject = {},
): WebhookConfiguration | undefined {
  if (!isJsonObject(body)) return undefined
  const { success, data } = configurationSchema.safeParse({ ...requested, ...toStated(body) })
  return success ? data : undefined
}

/** What the service said of a configuration that it deleted, which may be nothing. */
export function toDeleted(body: JsonValue | undefined, deleted: DeletedWebhook): DeletedWebhook {
  if (!isJsonObject(body)) return deleted
  const { success, data } = deletedSchema.safeParse({ ...deleted, ...toStated(body) })
  return success ? data : deleted
}

function toStated({ callbackURL, ...rest }: JsonObject): JsonObject {
  const stated = Object.entries({ callbackUrl: callbackURL ?? null, ...rest })
  return Object.fromEntries(stated.filter(([, value]) => value !== null))
}

/**
 * Equal for configurations that mean the same, though the service may add a slash or leave out a default port.
 */
export function toKey({ event, callbackUrl }: DesiredWebhook): string {
  // A fragment is not sent to a server.
  const href = URL.canParse(callbackUrl) ? new URL(callbackUrl).href.replace(/#.*/s, '') : callbackUrl
  return JSON.stringify([event, href])
}

/** @throws TypeError unless both are what the service takes */
export function assertDesired(desired: DesiredWebhook): void {
  const { event, callbackUrl } = Object(desired) as Partial<DesiredWebhook>
  if (typeof event !== 'string' || event === '') {
    throw new TypeError('"event" must be a kind of event, such as INBOUND_PAYMENT_STATUS_UPDATED')
  }
  if (!isHttpUrl(callbackUrl)) {
    throw new TypeError('"callbackUrl" must be an absolute URL, such as https://shop.example/webhooks')
  }
}

function isHttpUrl(url: unknown): url is string {
  // URL() takes spaces away that the service may keep.
  return typeof url === 'string' && /^https?:\/\/\S+$/i.test(url) && URL.canParse(url)
}

/** Orders decimal strings as the numbers they are. */
export function compareIds(left: string, right: string): number {
  const [a, b] = [BigInt(left), BigInt(right)]
  return a < b ? -1 : a > b ? 1 : 0
}
