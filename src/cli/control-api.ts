import type { Command } from 'commander'
import { withoutSecrets } from '../client/http/shown-url.ts'
import type {
  AttemptSummaryJson,
  DeliveriesJson,
  DeliverySummaryJson,
  ErrorJson,
} from '../sandbox/control/control-json.ts'
import { addCommand, type CommandHelp } from './command.ts'
import { environment, SANDBOX_URL } from './environment.ts'
import { Failure, UsageError } from './errors.ts'
import { paint } from './output.ts'
import { type HttpResponse, request } from './request.ts'
import { type Column, printList } from './table.ts'

/** A POST has no limit: it may wait for deliveries, which take minutes if a receiver or a fault delays them. */
const RESPONSE_TIMEOUT_MS = 30_000

/** Adds a command that needs a running sandbox. */
export function addSandboxCommand(program: Command, name: string, help: CommandHelp): Command {
  const notes = `\nNeeds a running sandbox, at PAYHOOK_BASE_URL or else at ${SANDBOX_URL}.\n`
  return addCommand(program, name, { ...help, notes })
}

/**
 * Calls the control API of the running sandbox.
 *
 * @param body JSON text, written by the caller where a number must keep its digits
 * @throws Failure if there is no sandbox, or if it rejects the call; UsageError if PAYHOOK_BASE_URL is not a
 *   URL
 */
export async function callSandbox<Result>(
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: string,
  signal?: AbortSignal,
): Promise<Result> {
  const base = sandboxUrl()
  const response = await request(new URL(`_sandbox/${path}`, `${base.href.replace(/\/$/, '')}/`), {
    method,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body,
    timeoutMs: method === 'POST' ? undefined : RESPONSE_TIMEOUT_MS,
    signal,
  }).catch((error: Failure) => {
    throw toUnavailable(base, error)
  })
  const result = readJson(response)
  if (response.status >= 200 && response.status <= 299 && result !== undefined) return result as Result
  if (result?.code === 'invalid_request') throw new UsageError(result.message)
  if (result?.message !== undefined) throw new Failure(result.code, result.message)
  const message = `${base.href} is not a sandbox: its response has the status ${response.status}.`
  throw new Failure('not_a_sandbox', message)
}

/** Where the sandbox is. */
export function sandboxUrl(): URL {
  const url = environment('PAYHOOK_BASE_URL') ?? SANDBOX_URL
  if (/^https?:/.test(url) && URL.canParse(url)) return new URL(url)
  throw new UsageError(`PAYHOOK_BASE_URL must be an absolute URL, such as ${SANDBOX_URL}.`)
}

function toUnavailable({ origin }: URL, { code }: Failure): Failure {
  const message =
    code === 'timed_out'
      ? `${origin} did not respond within ${RESPONSE_TIMEOUT_MS / 1_000} s. Restart the sandbox there, or set PAYHOOK_BASE_URL to another.`
      : `There is no sandbox at ${origin}. Start one with: payhook sandbox.`
  return new Failure(code === 'timed_out' ? code : 'sandbox_unavailable', message)
}

function readJson({ body }: HttpResponse): ErrorJson | undefined {
  try {
    return JSON.parse(Buffer.from(body).toString())
  } catch {
    return undefined
  }
}

/**
 * Has the sandbox send notifications and prints the deliveries.
 *
 * @throws Failure unless every notification was delivered, so that a script can tell
 */
export async function sendAndPrint(path: string, body: string): Promise<void> {
  const { deliveries } = await callSandbox<DeliveriesJson>('POST', path, body)
  const isSettled = !path.endsWith('?wait=false')
  if (isSettled && deliveries.length === 0) {
    const advice = 'Register one with: payhook webhooks create.'
    throw new Failure('nobody_registered', `Nothing was sent: no URL is registered for this kind. ${advice}`)
  }
  printDeliveries(deliveries)
  const others = deliveries.filter(({ state }) => state !== 'delivered')
  if (isSettled && others.length > 0)
    throw new Failure('not_delivered', `${others.length} of ${deliveries.length} were not delivered.`)
}

export function printDeliveries(deliveries: DeliveriesJson['deliveries']): void {
  printList(deliveries, COLUMNS, 'No deliveries.')
}

const COLUMNS: readonly Column<DeliverySummaryJson>[] = [
  { title: 'TIME', cell: ({ createdAt }) => createdAt.slice(11, 23) },
  { title: 'ID', cell: ({ id }) => id },
  {
    title: 'STATE',
    cell: ({ state }) => paint(/failed|dropped|cancelled/.test(state) ? 'red' : 'none', state),
  },
  { title: 'KIND', cell: ({ kind }) => kind, cut: true },
  { title: 'SUBJECT', cell: ({ subject, highlights }) => subject ?? highlights.id ?? '-', cut: true },
  { title: 'STATUS', cell: ({ highlights }) => highlights.status ?? '-', cut: true },
  { title: 'RESPONSES', cell: ({ attempts }) => attempts.map(toResponse).join(', ') || '-', cut: true },
  { title: 'LATENCY', cell: ({ attempts }) => attempts.slice(-1).map(toLatency).join('') || '-' },
  { title: 'URL', cell: ({ url }) => withoutSecrets(url).replace(/\?.*/, ''), cut: true },
]

/** The status of a response, or why there was none. */
export function toResponse({ status, error, duplicate }: AttemptSummaryJson): string {
  return `${status ?? error}${duplicate ? ' duplicate' : ''}`
}

export function toLatency({ durationMs }: AttemptSummaryJson): string {
  return `${Math.round(durationMs)} ms`
}
