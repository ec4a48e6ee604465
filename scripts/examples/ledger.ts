import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

interface Call {
  readonly path: string | undefined
  readonly key: string | undefined
  readonly ok: boolean
  readonly status: unknown
}

/** Where handlers have an effect. */
export interface Effects {
  /** Makes the next attempt to handle this payment fail. */
  failOnce(id: string): Promise<void> | void
  /** How often the payment was handled, failures excluded. */
  count(id: string): Promise<number> | number
}

export interface Ledger extends Effects, AsyncDisposable {
  readonly url: string
  /** Makes the next calls about this payment fail. */
  failNext(id: string, calls: number): void
  /** The idempotency keys of a payment's calls, the failed ones too. */
  keys(id: string): (string | undefined)[]
  /** The status that the last call about a payment has left. */
  status(id: string): unknown
}

/** The service that the handlers of most examples call. */
export async function startLedger(): Promise<Ledger> {
  const calls: Call[] = []
  const failures = new Map<string, number>()
  const server = createServer(async (request, response) => {
    const path = request.url ?? ''
    const left = failures.get(path) ?? 0
    failures.set(path, left - 1)
    const { status } = Object(await json(request))
    const key = request.headers['idempotency-key']?.toString()
    // As services do with a key that they know for another body.
    const isReused = calls.some((call) => call.key === key && (call.path !== path || call.status !== status))
    const ok = request.method === 'PUT' && left <= 0 && !isReused
    calls.push({ path, key, ok, status })
    response.writeHead(ok ? 204 : isReused ? 422 : 503).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const callsOf = (id: string) => calls.filter(({ path }) => path === `/payments/${id}`)
  const failNext = (id: string, times: number) => void failures.set(`/payments/${id}`, times)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failOnce: (id) => failNext(id, 1),
    failNext,
    count: (id) => callsOf(id).filter(({ ok }) => ok).length,
    keys: (id) => callsOf(id).map(({ key }) => key),
    status: (id) => callsOf(id).findLast(({ ok }) => ok)?.status,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
