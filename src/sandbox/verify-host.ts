import type { MiddlewareHandler } from 'hono'
import { serviceError } from './service-error.ts'

const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d*)?$/i

/**
 * Refuses requests that name another machine, where only this one can be meant: a web page has a name of its own resolve to
 * this machine, and the browser takes the sandbox for a part of the page's site (DNS rebinding).
 */
export function verifyHost(hostname: string): MiddlewareHandler {
  const isLoopback = LOOPBACK_HOST.test(toUrlHost(hostname))
  return async (c, next) => {
    if (!isLoopback || LOOPBACK_HOST.test(c.req.header('host') ?? '')) return await next()
    return serviceError(c, 421, 'The Host is not this machine, which is all that the sandbox listens for')
  }
}

/** An address as it stands in a URL. */
export function toUrlHost(hostname: string): string {
  return hostname.includes(':') ? `[${hostname}]` : hostname
}
