import { expect } from 'vitest'
import type { Sandbox, SandboxOptions } from '../../src/sandbox/index.ts'
import { controlApi, serviceApi } from './documents.ts'
import { recordExchanges } from './record-exchanges.ts'

/**
 * Checks every exchange of a sandbox against the OpenAPI documents: every response, and the requests that were
 * accepted. Only those of the mode `strict`, as the others accept more than is specified.
 *
 * @returns fails if there was anything that they do not say
 */
export function recordViolations(
  { url }: Pick<Sandbox, 'url'>,
  { servicePath = 'svc', authorizePath = '/oauth/authorize', resourcePath, mode }: SandboxOptions,
): () => void {
  const violations: string[] = []
  const isUndocumented = (path: string) =>
    ['/', authorizePath].includes(path) || (resourcePath !== undefined && path.startsWith(resourcePath))
  const toDefaultPath = (path: string) => {
    const itsPath = path.replace(`/${servicePath}/`, '/svc/')
    return mode === 'lenient'
      ? itsPath.replace(/\/v[\d.]+\/(hello|webhooks)/, (_, name) => `/v1.${name === 'hello' ? 0 : 2}/${name}`)
      : itsPath
  }
  const forget = recordExchanges(Number(new URL(url).port), (exchange) => {
    const { method, path, status, headers } = exchange
    if (isUndocumented(path)) return
    const isControl = path.startsWith('/_sandbox/')
    const api = isControl ? controlApi : serviceApi
    const itsExchange = isControl
      ? // The control API reads JSON of any content type.
        { ...exchange, headers: { ...headers, 'content-type': 'application/json' } }
      : { ...exchange, path: toDefaultPath(path) }
    const mustBeRight = status < 400 && (isControl || mode === 'strict')
    const faults = [...(mustBeRight ? api.checkRequest(itsExchange) : []), ...api.checkResponse(itsExchange)]
    violations.push(...faults.map((fault) => `${method} ${path} ${status}: ${fault}`))
  })
  return () => {
    forget()
    expect(violations).toEqual([])
  }
}
