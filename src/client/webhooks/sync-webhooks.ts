import { ApiError } from '../../client-errors.ts'
import { anything, type Checks, checkOptions, flag } from '../../option-checks.ts'
import { isLoopback } from '../http/service-urls.ts'
import { CallbackUrl, toLoggable } from './callback-url.ts'
import {
  compareIds,
  type DesiredWebhook,
  isActive,
  toDesired,
  toKey,
  type WebhookConfiguration,
} from './webhook-configuration.ts'
import type { SyncOptions, SyncResult, UpdatedWebhook, Webhooks } from './webhooks.ts'

const SYNC_OPTIONS = {
  prune: flag(false),
  dryRun: flag(false),
  signal: anything(),
} satisfies Checks<SyncOptions>

export async function syncWebhooks(
  webhooks: Omit<Webhooks, 'sync'>,
  wanted: readonly DesiredWebhook[],
  options: SyncOptions = {},
): Promise<SyncResult> {
  const { prune, dryRun } = checkOptions('webhooks.sync', options, SYNC_OPTIONS)
  if (!Array.isArray(wanted))
    throw new TypeError('the desired configurations must be an array of { event, callbackUrl }')
  const desired = wanted.map(toDesired)

  const warnings = new Set(desired.flatMap(toWarning))
  const onUnreadable = () =>
    warnings.add('The service lists a configuration that cannot be read. It stays as it is.')
  const plan = toPlan(await webhooks.list({ onUnreadable }), desired)
  const created: SyncResult['created'][number][] = []
  const updated: UpdatedWebhook[] = []
  const deleted: SyncResult['deleted'][number][] = []
  const create = async (each: DesiredWebhook) =>
    created.push(toLoggable(dryRun ? each : await webhooks.create(each)))
  // What is missing comes first and what is deleted last, so that no notification is missed in between.
  for (const each of plan.create) await create(each)
  for (const { found, desired: each } of plan.update) {
    const changed = dryRun ? { ...found, ...each } : await unlessGone(webhooks.update(found.id, each))
    if (changed === undefined || !isActive(changed)) await create(each)
    else updated.push({ ...toLoggable(changed), previousCallbackUrl: new CallbackUrl(found.callbackUrl) })
  }
  for (const found of prune ? plan.surplus : []) {
    const response = dryRun ? undefined : await unlessGone(webhooks.delete(found.id))
    deleted.push(toLoggable({ ...found, status: 'Inactive', ...response }))
  }
  const unchanged = (prune ? plan.keep : [...plan.keep, ...plan.surplus]).map(toLoggable)
  return { created, updated, deleted, unchanged, ...(warnings.size > 0 && { warnings: [...warnings] }) }
}

/** The result; `undefined` if another process has deleted the configuration. */
async function unlessGone<Result>(result: Promise<Result>): Promise<Result | undefined> {
  try {
    return await result
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') return undefined
    throw error
  }
}

function toWarning({ callbackUrl }: DesiredWebhook): string[] {
  const { protocol, host, hostname } = new URL(callbackUrl)
  if (protocol === 'https:' || isLoopback(hostname)) return []
  const reason = 'notifications and the callback token are not encrypted'
  return [`The callback URL on ${host} is plain http: ${reason}.`]
}

/** Plans how to get from the listed configurations to the desired ones. Linear, apart from the sorting. */
function toPlan(listed: readonly WebhookConfiguration[], desired: readonly DesiredWebhook[]) {
  // Once for each id: of an entry that is listed twice, the second would be deleted as surplus. Sorted, so that
  // processes that sync at the same time keep the same ones.
  const active = [...new Map(listed.map((found) => [found.id, found])).values()]
    .filter(isActive)
    .sort((left, right) => compareIds(left.id, right.id))
  const wanted = Map.groupBy(desired, toKey)
  const there = Map.groupBy(active, toKey)
  // Not repeats of what is desired: those are surplus. Reversed, so that `pop` takes the first.
  const others = active.filter((found) => !wanted.has(toKey(found))).reverse()
  const replaceable = Map.groupBy(others, ({ event }) => event)
  const keep: WebhookConfiguration[] = []
  const create: DesiredWebhook[] = []
  const update: { found: WebhookConfiguration; desired: DesiredWebhook }[] = []
  for (const [key, [each]] of wanted as Map<string, [DesiredWebhook]>) {
    const [right] = there.get(key) ?? []
    const found = right ?? replaceable.get(each.event)?.pop()
    if (right !== undefined) keep.push(right)
    else if (found !== undefined) update.push({ found, desired: each })
    else create.push(each)
  }
  const used = new Set([...keep, ...update.map(({ found }) => found)])
  return { create, update, surplus: active.filter((found) => !used.has(found)), keep }
}
