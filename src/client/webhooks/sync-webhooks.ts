import { ApiError } from '../../client-errors.ts'
import { assertOptions, booleanOption } from '../../option-checks.ts'
import type { Steps } from '../call.ts'
import { isLoopback } from '../http/service-urls.ts'
import {
  assertDesired,
  compareIds,
  type DeletedWebhook,
  type DesiredWebhook,
  toKey,
  type WebhookConfiguration,
} from './webhook-configuration.ts'
import type { SyncOptions, SyncResult, UpdatedWebhook, Webhooks } from './webhooks.ts'

/** What has to be done to come from what is there to what is desired. */
interface SyncPlan {
  readonly create: readonly DesiredWebhook[]
  readonly update: readonly { readonly found: WebhookConfiguration; readonly desired: DesiredWebhook }[]
  readonly surplus: readonly WebhookConfiguration[]
  readonly keep: readonly WebhookConfiguration[]
}

// Another process may delete what is to be updated; then a new plan is made.
const MAX_PLANS = 3

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
  const created: (WebhookConfiguration | DesiredWebhook)[] = []
  const updated: UpdatedWebhook[] = []
  const deleted: DeletedWebhook[] = []
  for (let plans = 1; ; plans++) {
    const warnings = new Set(desired.flatMap(toWarning))
    const onUnreadable = () =>
      warnings.add('The service lists a configuration that cannot be read. It is left as it is.')
    const { create, update, surplus, keep } = plan(await webhooks.list({ ...steps, onUnreadable }), desired)
    // What is missing first and what is too much last, so that there is no moment without a configuration.
    for (const wanted of create) {
      created.push(dryRun ? { ...wanted } : await webhooks.create(wanted, steps))
    }
    let isOutdated = false
    for (const { found, desired: wanted } of update) {
      const { event, callbackUrl } = wanted
      const change = { event, callbackUrl }
      try {
        const changed = dryRun ? { ...found, callbackUrl } : await webhooks.update(found.id, change, steps)
        updated.push({ ...changed, previousCallbackUrl: found.callbackUrl })
      } catch (error) {
        if (!isNotFound(error) || plans === MAX_PLANS) throw error
        isOutdated = true
      }
    }
    if (isOutdated) continue
    for (const found of prune ? surplus : []) {
      const inactive = { ...found, status: 'Inactive' }
      deleted.push(dryRun ? inactive : { ...inactive, ...(await deleteIfThere(found.id)) })
    }
    const changed = new Set<unknown>([...created, ...updated].map((each) => 'id' in each && each.id))
    const unchanged = (prune ? keep : [...keep, ...surplus]).filter(({ id }) => !changed.has(id))
    return { created, updated, deleted, unchanged, ...(warnings.size > 0 && { warnings: [...warnings] }) }
  }

  /** What another process has deleted meanwhile counts as deleted. */
  async function deleteIfThere(id: string): Promise<DeletedWebhook | undefined> {
    try {
      return await webhooks.delete(id, steps)
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'not_found'
}

function toWarning({ callbackUrl }: DesiredWebhook): string[] {
  const { protocol, host, hostname } = new URL(callbackUrl)
  if (protocol === 'https:' || isLoopback(hostname)) return []
  return [
    `The callback URL on ${host} is plain http: notifications and the callback token travel in the clear.`,
  ]
}

function plan(listed: readonly WebhookConfiguration[], desired: readonly DesiredWebhook[]): SyncPlan {
  // One an id: a repeat that is surplus would be deleted, and with it the one that is kept. In their order, so
  // that two processes that sync at the same time keep the same ones.
  const active = [...new Map(listed.map((found) => [found.id, found])).values()]
    .filter(({ status }) => status !== 'Inactive')
    .sort((left, right) => compareIds(left.id, right.id))
  const wanted = Map.groupBy(desired, toKey)
  const there = Map.groupBy(active, toKey)
  // Without repeats of what is desired: those are surplus, not an old address.
  const replaceable = Map.groupBy(
    active.filter((found) => !wanted.has(toKey(found))),
    ({ event }) => event,
  )
  const keep: WebhookConfiguration[] = []
  const create: DesiredWebhook[] = []
  const update: { found: WebhookConfiguration; desired: DesiredWebhook }[] = []
  for (const [key, [each]] of wanted as Map<string, [DesiredWebhook]>) {
    const right = there.get(key)?.[0]
    const found = right ?? replaceable.get(each.event)?.shift()
    if (right !== undefined) keep.push(right)
    else if (found !== undefined) update.push({ found, desired: each })
    else create.push(each)
  }
  const used = new Set([...keep, ...update.map(({ found }) => found)])
  return { create, update, surplus: active.filter((found) => !used.has(found)), keep }
}
