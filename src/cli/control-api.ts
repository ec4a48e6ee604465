import { environment, SANDBOX_URL } from './environment.ts'
import { Failure, UsageError } from './errors.ts'
import { paint, print, printJson, toOneLine, toTable } from './output.ts'

/** A delivery of the sandbox, as its control API lists it. */
export interface ListedDelivery {
  readonly id: string
  readonly kind: string
  readonly state: string
  /** Id and status in its data, where it has them. */
  readonly subject: { readonly id?: string; readonly status?: string }
  readonly url: string
  readonly createdAt: string
  readonly attempts: readonly {
    readonly number: number
    readonly durationMs: number
    readonly status?: number
    readonly error?: string
  }[]
}

/** The same, with its body. */
export interface ShownDelivery extends ListedDelivery {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly bodyBase64: string
}

/** For the help of every command that needs a running sandbox. */
export const NEEDS_SANDBOX = `
Needs a running sandbox, at PAYHOOK_BASE_URL or else at ${SANDBOX_URL}.`

/** A POST has no limit: it may wait for deliveries, which take minutes if nobody answers or a fault delays them. */
const RESPONSE_TIMEOUT_MS = 30_000

/**
 * Calls the control API of the running sandbox.
 *
 * @param body JSON text, written by the caller where a number must keep its digits
 * @throws Failure if no sandbox answers, or if it rejects the call; UsageError if PAYHOOK_BASE_URL is not a URL
 */
export async function callSandbox<Answer>(
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: string,
  signal?: AbortSignal,
): Promise<Answer> {
  const baseUrl = environment('PAYHOOK_BASE_URL') ?? SANDBOX_URL
  if (!/^https?:/.test(baseUrl) || !URL.canParse(baseUrl))
    throw new UsageError(`PAYHOOK_BASE_URL must be an absolute URL, such as ${SANDBOX_URL}.`)
  const url = new URL(`_sandbox/${path}`, `${baseUrl.replace(/\/$/, '')}/`)
  const limit = method === 'POST' ? [] : [AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]
  const { response, text } = await request(url, method, body, AbortSignal.any([signal ?? [], limit].flat()))
  const answer = response.headers.get('content-type')?.startsWith('application/json')
    ? JSON.parse(text)
    : undefined
  if (response.ok && answer !== undefined) return answer
  if (answer?.message === undefined)
    throw new Failure(`${baseUrl} is not a sandbox: it answers ${response.status}.`, {
      code: 'not_a_sandbox',
    })
  throw new Failure(answer.message, { code: answer.code })
}

async function request(
  url: URL,
  method: string,
  body: string | undefined,
  signal: AbortSignal,
): Promise<{ response: Response; text: string }> {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' }
  try {
    const response = await fetch(url, { method, headers, ...(body !== undefined && { body }), signal })
    return { response, text: await response.text() }
  } catch (error) {
    if ((error as Error).name === 'TimeoutError') {
      throw new Failure(
        `${url.origin} did not respond within ${RESPONSE_TIMEOUT_MS / 1_000} s. Restart the sandbox there, or set PAYHOOK_BASE_URL to another.`,
        { code: 'timed_out' },
      )
    }
    const cause = (error as Error).cause ?? error
    throw new Failure(`No sandbox answers at ${url.origin}. Start one with: payhook sandbox.`, {
      code: 'sandbox_unavailable',
      cause,
    })
  }
}

/** Prints deliveries, one a line. */
export function printDeliveries(
  deliveries: readonly ListedDelivery[],
  { json }: { readonly json?: true },
): void {
  if (json) for (const delivery of deliveries) printJson(delivery)
  else for (const line of toTable(deliveries.map(toRow))) print(colour(line))
}

/** @throws Failure unless every notification was delivered, so that a script can tell */
export function assertDelivered(deliveries: readonly ListedDelivery[]): void {
  if (deliveries.length === 0) {
    throw new Failure(
      'Nothing was sent: no URL is registered for this kind. Register one with: payhook webhooks create.',
      {
        code: 'nobody_registered',
      },
    )
  }
  const others = deliveries.filter(({ state }) => state !== 'delivered')
  if (others.length > 0)
    throw new Failure(`${others.length} of ${deliveries.length} were not delivered.`, {
      code: 'not_delivered',
    })
}

function toRow({ id, state, kind, subject, url, createdAt, attempts }: ListedDelivery): string[] {
  const answers = attempts.map(({ status, error }) => String(status ?? error))
  const latency = attempts.at(-1)?.durationMs
  return [
    createdAt.slice(11, 23),
    id,
    state,
    toOneLine(kind),
    toOneLine(subject.id ?? '-'),
    toOneLine(subject.status ?? '-'),
    toOneLine(answers.join(', ')) || '-',
    latency === undefined ? '-' : `${Math.round(latency)} ms`,
    url.replace(/\?.*/, ''),
  ]
}

function colour(line: string): string {
  if (/ (?:failed|dropped|cancelled) /.test(line)) return paint('red', line)
  return line
}
