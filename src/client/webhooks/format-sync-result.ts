import { encodeControls } from '../http/redaction.ts'
import type { SyncResult } from './webhooks.ts'

/**
 * Formats the result of `webhooks.sync` for a log or a terminal, one line for each configuration: `+` created,
 * `~` updated, `-` deleted, `=` unchanged; `!` begins a warning. Callback tokens and passwords are left out.
 *
 * @example
 * console.log(formatSyncResult(await client.webhooks.sync(desired, { dryRun: true }), { dryRun: true }))
 * // + INBOUND_PAYMENT_STATUS_UPDATED  https://shop.example/webhooks?token=…
 * // 1 to create, 0 to update, 0 to delete, 3 unchanged
 */
export function formatSyncResult(
  { created, updated, deleted, unchanged, warnings = [] }: SyncResult,
  { dryRun = false }: { readonly dryRun?: boolean } = {},
): string {
  const lines = [
    ...created.map((entry) => toLine('+', entry)),
    ...updated.map(
      (entry) => `${toLine('~', entry)}  (was ${encodeControls(`${entry.previousCallbackUrl}`)})`,
    ),
    ...deleted.map((entry) => toLine('-', entry)),
    ...unchanged.map((entry) => toLine('=', entry)),
    ...warnings.map((warning) => `! ${warning}`),
  ]
  const count = (list: readonly unknown[], verb: string) =>
    `${list.length} ${dryRun ? `to ${verb}` : `${verb}d`}`
  const counts = [count(created, 'create'), count(updated, 'update'), count(deleted, 'delete')]
  return [...lines, [...counts, `${unchanged.length} unchanged`].join(', ')].join('\n')
}

function toLine(sign: string, entry: SyncResult['created' | 'deleted'][number]): string {
  const id = 'id' in entry ? ` ${entry.id}` : ''
  return `${sign}${id} ${encodeControls(entry.event ?? '')}  ${encodeControls(`${entry.callbackUrl ?? ''}`)}`
}
