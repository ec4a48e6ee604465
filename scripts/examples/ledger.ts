import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Call {
  readonly path: string | undefined
  readonly key: string | undefined
  readonly ok: boolean
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
}

/** The service that the handlers of most examples call. */
export async function startLedger(): Promise<Ledger> {
  const calls: Call[] = []
  const failures = new Map<string, number>()
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    const left = failures.get(path) ?? 0
    failures.set(path, left - 1)
    const ok = request.method === 'PUT' && left <= 0
    calls.push({ path, key: request.headers['idempotency-key']?.toString(), ok })
    request.resume()
    response.writeHead(ok ? 204 : 503).end()
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
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
