import type { Command } from 'commander'
import { withoutSecrets } from '../client/http/shown-url.ts'
import {
  type ControlCall,
  type ControlName,
  type ControlResponse,
  toControlRequest,
} from '../sandbox/control/control-call.ts'
import type {
  AttemptSummaryJson,
  DeliveriesJson,
  DeliverySummaryJson,
  ErrorJson,
} from '../sandbox/control/control-json.ts'
import type { ResourceKind } from '../sandbox/state/resources.ts'
import { addCommand, type CommandHelp } from './command.ts'
import { environment, SANDBOX_URL } from './environment.ts'
import { Failure, UsageError } from './errors.ts'
import { paint, print } from './output.ts'
import { type HttpResponse, request } from './request.ts'
import { type Cell, type Column, printList, toTable } from './table.ts'

/** A POST has no limit: it may wait for deliveries, which take minutes if a receiver or a fault delays them. */
const RESPONSE_TIMEOUT_MS = 30_000
const LATE = 'The sandbox does not respond. Restart it, or set PAYHOOK_BASE_URL to another.'

export function addSandboxCommand(program: Command, name: string, help: CommandHelp): Command {
  const notes = `\nNeeds a running sandbox, at PAYHOOK_BASE_URL or else at ${SANDBOX_URL}.\n`
  return addCommand(program, name, { ...help, notes })
}

/** @throws Failure if there is none, or it rejects the call; UsageError if PAYHOOK_BASE_URL is not a URL */
export async function callSandbox<Name extends ControlName>(
  name: Name,
  call: ControlCall = {},
  signal?: AbortSignal,
): Promise<ControlResponse<Name>> {
  const { method, path } = toControlRequest(name, call)
  const response = await request(toControlUrl(path), {
    method,
    headers: call.body === undefined ? {} : { 'content-type': 'application/json' },
    body: call.body,
    timeoutMs: method === 'POST' ? undefined : RESPONSE_TIMEOUT_MS,
    signal,
  }).catch(({ code }: Failure) => {
    throw code === 'timed_out' ? new Failure(code, LATE) : noSandbox()
  })
  const result = readJson(response)
  if (response.status >= 200 && response.status <= 299 && result !== undefined)
    return result as ControlResponse<Name>
  if (result?.code === 'invalid_request') throw new UsageError(result.message)
  if (result?.message !== undefined) throw new Failure(result.code, result.message)
  const message = `${sandboxUrl().href} is not a sandbox: its response has the status ${response.status}.`
  throw new Failure('not_a_sandbox', message)
}

export function sandboxUrl(): URL {
  const url = environment('PAYHOOK_BASE_URL') ?? SANDBOX_URL
  if (/^https?:/.test(url) && URL.canParse(url)) return new URL(url)
  throw new UsageError(`PAYHOOK_BASE_URL must be an absolute URL, such as ${SANDBOX_URL}.`)
}

export function toControlUrl(path: string): URL {
  return new URL(`_sandbox/${path}`, `${sandboxUrl().href.replace(/\/$/, '')}/`)
}

export function noSandbox(): Failure {
  const message = `There is no sandbox at ${sandboxUrl().origin}. Start one with: payhook sandbox.`
  return new Failure('sandbox_unavailable', message)
}

function readJson({ body }: HttpResponse): ErrorJson | undefined {
  try {
    return JSON.parse(Buffer.from(body).toString())
  } catch {
    return undefined
  }
}

/** @throws Failure unless every notification was delivered, so that a script can tell */
export async function sendAndPrint(
  name: 'POST trigger' | 'POST deliveries/:id/redeliver' | `POST ${ResourceKind}/:id/walk`,
  call: ControlCall,
): Promise<void> {
  const { deliveries } = await callSandbox(name, call)
  if (deliveries.length === 0) {
    const advice = 'Register one with: payhook webhooks create.'
    throw new Failure('nobody_registered', `Nothing was sent: no URL is registered for this kind. ${advice}`)
  }
  printDeliveries(deliveries)
  const others = deliveries.filter(({ state }) => state !== 'delivered')
  if (others.length > 0)
    throw new Failure('not_delivered', `${others.length} of ${deliveries.length} were not delivered.`)
}

/** Prints a delivery as a line of a list that goes on. */
export function printNextDelivery(delivery: DeliverySummaryJson): void {
  print(delivery, () => toTable([COLUMNS.map(({ cell }) => cell(delivery))], COLUMNS))
}

export function printDeliveries(deliveries: DeliveriesJson['deliveries']): void {
  printList(deliveries, COLUMNS, 'No deliveries.')
}

const COLUMNS: readonly Column<DeliverySummaryJson>[] = [
  { title: 'TIME', cell: ({ createdAt }) => createdAt.slice(11, 23) },
  // The commands that take an id accept its first eight digits.
  { title: 'ID', cell: ({ id }) => (process.stdout.isTTY ? id.slice(0, 8) : id) },
  { title: 'STATE', cell: toState, width: 9 },
  { title: 'KIND', cell: ({ kind }) => kind, width: 30, least: 8 },
  {
    title: 'SUBJECT',
    cell: ({ subject, highlights }) => subject ?? highlights.id ?? '-',
    width: 14,
    least: 14,
  },
  { title: 'STATUS', cell: ({ highlights }) => highlights.status ?? '-', width: 10, least: 8 },
  {
    title: 'RESPONSES',
    cell: ({ attempts }) => attempts.map(toResponse).join(', ') || '-',
    least: 9,
    width: 9,
  },
  { title: 'LATENCY', cell: ({ attempts }) => attempts.slice(-1).map(toLatency).join('') || '-', width: 7 },
  { title: 'URL', cell: ({ url }) => withoutSecrets(url).replace(/\?.*/, ''), least: 20 },
]

function toState({ state }: DeliverySummaryJson): Cell {
  return paint(/failed|dropped|cancelled/.test(state) ? 'red' : 'none', state)
}

export function toResponse({ status, error, duplicate }: AttemptSummaryJson): string {
  return `${status ?? error}${duplicate ? ' duplicate' : ''}`
}

export function toLatency({ durationMs }: AttemptSummaryJson): string {
  return `${Math.round(durationMs)} ms`
}
