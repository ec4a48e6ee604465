import { toOneLine } from '../http/one-line.ts'
import type { SyncResult } from './webhooks.ts'

/**
 * Writes out what `webhooks.sync` did, one line a configuration: `+` created, `~` updated, `-` deleted, `=`
 * unchanged; a line with `!` is a warning. The value of a `token` in a URL is left out, so that the text may be
 * logged.
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
    ...updated.map((entry) => `${toLine('~', entry)}  (was ${hideToken(entry.previousCallbackUrl)})`),
    ...deleted.map((entry) => toLine('-', entry)),
    ...unchanged.map((entry) => toLine('=', entry)),
    ...warnings.map((warning) => `! ${warning}`),
  ]
  const counts = [
    `${created.length} ${dryRun ? 'to create' : 'created'}`,
    `${updated.length} ${dryRun ? 'to update' : 'updated'}`,
    `${deleted.length} ${dryRun ? 'to delete' : 'deleted'}`,
    `${unchanged.length} unchanged`,
  ]
  return [...lines, counts.join(', ')].join('\n')
}

function toLine(
  sign: string,
  {
    id,
    event = '',
    callbackUrl = '',
  }: { id?: string; event?: string | undefined; callbackUrl?: string | undefined },
): string {
  return [`${sign}${id === undefined ? '' : ` ${id}`} ${toOneLine(event)}`, hideToken(callbackUrl)].join('  ')
}

function hideToken(url: string): string {
  const [address = '', query] = url.split(/\?(.*)/s)
  if (query === undefined) return toOneLine(address)
  const parameters = query.split('&').map((pair) => (isToken(pair) ? 'token=…' : pair))
  return toOneLine(`${address}?${parameters.join('&')}`)
}

/** Whether a `name=value` of a query is the token, however its name is encoded. */
function isToken(pair: string): boolean {
  return new URLSearchParams(pair).has('token')
}
