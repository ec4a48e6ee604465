import type { MiddlewareHandler } from 'hono'
import { serviceError } from './service-error.ts'

// Also an IPv4 address within IPv6.
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::(?:1|ffff:7f[\da-f]{2}:[\da-f]{1,4})\])$/

/**
 * Refuses requests that name another machine, where only this one can be meant: a web page has a name of its
 * own resolve to this machine, and the browser takes the sandbox for a part of the page's site (DNS rebinding).
 *
 * @param address which the sandbox listens on
 * @param hostname by which the address was found
 */
export function verifyHost(address: string, hostname: string): MiddlewareHandler {
  const isForThisMachine = LOOPBACK.test(toName(toUrlHost(address)))
  const ownName = toName(toUrlHost(hostname))
  return async (c, next) => {
    const name = toName(c.req.header('host') ?? '')
    if (!isForThisMachine || LOOPBACK.test(name) || (name && name === ownName)) return await next()
    return serviceError(c, 421, 'The Host is not this machine, which is all that the sandbox listens for')
  }
}

/** The name or the address of a host, spelled in one way; empty if there is none. */
function toName(host: string): string {
  const url = `http://${host}`
  return URL.canParse(url) ? new URL(url).hostname : ''
}

/** An address as it stands in a URL. */
export function toUrlHost(hostname: string): string {
  return hostname.includes(':') ? `[${hostname}]` : hostname
}
