import { expect } from 'vitest'
import type { Sandbox, SandboxOptions } from '../../src/sandbox/index.ts'
import { controlApi, serviceApi } from './documents.ts'
import { recordExchanges } from './record-exchanges.ts'

/**
 * Checks every exchange of a sandbox against the OpenAPI documents. Only in the mode `strict`, it has to be called as
 * they say; otherwise it accepts more than is specified.
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
    if (isUndocumented(exchange.path)) return
    const { path } = exchange
    const found = path.startsWith('/_sandbox/')
      ? // The control API reads JSON of any content type.
        controlApi.violations({
          ...exchange,
          headers: { ...exchange.headers, 'content-type': 'application/json' },
        })
      : serviceApi.violations({ ...exchange, path: toDefaultPath(path) }, { anyRequest: mode !== 'strict' })
    violations.push(...found.map((one) => `${exchange.method} ${path} ${exchange.status}: ${one}`))
  })
  return () => {
    forget()
    expect(violations).toEqual([])
  }
}
