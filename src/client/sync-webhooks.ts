import { assertOptions, booleanOption } from '../option-checks.ts'
import type { Steps } from './call.ts'
import type { CallOptions } from './client-options.ts'
import {
  assertDesired,
  compareIds,
  type DeletedWebhook,
  type DesiredWebhook,
  isSame,
  type WebhookConfiguration,
} from './webhook-configuration.ts'
import type { Webhooks } from './webhooks.ts'

/** Options of `webhooks.sync`. */
export interface SyncOptions extends CallOptions {
  /** Delete the active configurations that are not desired, of every kind. Default `false`. */
  readonly prune?: boolean | undefined
  /** Only say what would be done. Default `false`. */
  readonly dryRun?: boolean | undefined
}

/** What `webhooks.sync` did, or would do. {@link formatSyncResult} writes it out. */
export interface SyncResult {
  /** Without an `id` when it was a dry run. */
  readonly created: readonly (WebhookConfiguration | DesiredWebhook)[]
  readonly updated: readonly UpdatedWebhook[]
  readonly deleted: readonly DeletedWebhook[]
  readonly unchanged: readonly WebhookConfiguration[]
}

/** A configuration with its new URL, and the one it had before. */
export type UpdatedWebhook = WebhookConfiguration & { readonly previousCallbackUrl: string }

/** What has to be done to come from what is there to what is desired. */
interface SyncPlan {
  readonly create: readonly DesiredWebhook[]
  readonly update: readonly { readonly found: WebhookConfiguration; readonly desired: DesiredWebhook }[]
  readonly surplus: readonly WebhookConfiguration[]
  readonly keep: readonly WebhookConfiguration[]
}

/** @see Webhooks.sync */
export async function syncWebhooks(
  webhooks: Pick<Webhooks, 'create' | 'list' | 'update' | 'delete'>,
  desired: readonly DesiredWebhook[],
  options: SyncOptions = {},
): Promise<SyncResult> {
  assertOptions(options, ['prune', 'dryRun', 'signal'])
  const { signal } = options
  const prune = booleanOption('prune', options.prune, false)
  const dryRun = booleanOption('dryRun', options.dryRun, false)
  if (!Array.isArray(desired))
    throw new TypeError('the desired configurations must be a list of { event, callbackUrl }')
  for (const each of desired) assertDesired(each)

  // For one account, whoever the client acts for in the end.
  const steps: Steps = { signal, owner: {} }
  const { create, update, surplus, keep } = plan(await webhooks.list(steps), desired)
  const remove = prune ? surplus : []
  const unchanged = prune ? keep : [...keep, ...surplus]
  const result = {
    created: [] as (WebhookConfiguration | DesiredWebhook)[],
    updated: [] as UpdatedWebhook[],
    deleted: [] as DeletedWebhook[],
    unchanged,
  }
  // What is missing first and what is too much last, so that there is no moment without a configuration.
  for (const wanted of create) {
    result.created.push(dryRun ? { ...wanted } : await webhooks.create(wanted, steps))
  }
  for (const { found, desired: wanted } of update) {
    const { event, callbackUrl } = wanted
    const changed = dryRun
      ? { ...found, callbackUrl }
      : await webhooks.update(found.id, { event, callbackUrl }, steps)
    result.updated.push({ ...changed, previousCallbackUrl: found.callbackUrl })
  }
  for (const found of remove) {
    const deleted = { ...found, status: 'Inactive' }
    result.deleted.push(dryRun ? deleted : { ...deleted, ...(await webhooks.delete(found.id, steps)) })
  }
  return result
}

function plan(listed: readonly WebhookConfiguration[], desired: readonly DesiredWebhook[]): SyncPlan {
  const active = listed.filter(({ status }) => status !== 'Inactive')
  const rest = new Set(active.toSorted((left, right) => compareIds(left.id, right.id)))
  const take = (matches: (found: WebhookConfiguration) => boolean) => {
    const found = [...rest].find(matches)
    if (found !== undefined) rest.delete(found)
    return found
  }
  const keep: WebhookConfiguration[] = []
  // What is right already is kept, before anything else could be changed into it.
  const missing = withoutRepeats(desired).filter((wanted) => {
    const found = take((each) => isSame(each, wanted))
    if (found !== undefined) keep.push(found)
    return found === undefined
  })
  const create: DesiredWebhook[] = []
  const update: { found: WebhookConfiguration; desired: DesiredWebhook }[] = []
  for (const wanted of missing) {
    // One that says the same as another that is kept is surplus, not somebody's old address.
    const found = take((each) => each.event === wanted.event && !keep.some((kept) => isSame(kept, each)))
    if (found === undefined) create.push(wanted)
    else update.push({ found, desired: wanted })
  }
  return { create, update, surplus: [...rest], keep }
}

function withoutRepeats(desired: readonly DesiredWebhook[]): DesiredWebhook[] {
  return desired.filter((each, index) => desired.findIndex((other) => isSame(each, other)) === index)
}
