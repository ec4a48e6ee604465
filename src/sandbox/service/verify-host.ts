import type { MiddlewareHandler } from 'hono'
import { serviceError } from './service-error.ts'

// Also an IPv4 address within IPv6.
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::(?:1|ffff:7f[\da-f]{2}:[\da-f]{1,4})\])$/
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])$/

/** Which names a request may call the sandbox by. */
export interface HostRules {
  /** Whether a `Host` is one that requests to the service may have. */
  allows(host: string): boolean
  /** Whether it is one that the console and its API may be reached by, which is more than the service gives away. */
  allowsControl(host: string): boolean
}

/**
 * A web page has a name of its own resolve to this machine, and the browser takes the sandbox for a part of the
 * page's site (DNS rebinding). So a name counts only if it is known: a loopback one, that of the sandbox, or one
 * of `allowedHosts`. An address cannot be rebound. Where the sandbox listens for other machines, the service
 * itself answers to every name.
 *
 * @param address which the sandbox listens on
 * @param hostname by which the address was found
 */
export function createHostRules(
  address: string,
  hostname: string,
  allowedHosts: readonly string[] = [],
): HostRules {
  const isForThisMachine = LOOPBACK.test(toName(toUrlHost(address)))
  const known = new Set([hostname, ...allowedHosts].map((host) => toName(toUrlHost(host))))
  const isKnown = (name: string) => LOOPBACK.test(name) || (name !== '' && known.has(name))
  return {
    allows: (host) => (!isForThisMachine && allowedHosts.length === 0) || isKnown(toName(host)),
    allowsControl: (host) => isKnown(toName(host)) || (!isForThisMachine && ADDRESS.test(toName(host))),
  }
}

/** Refuses requests with a `Host` that is not allowed. */
export function verifyHost(rules: HostRules): MiddlewareHandler {
  return async (c, next) => {
    if (rules.allows(c.req.header('host') ?? '')) return await next()
    return serviceError(c, 421, FOREIGN_HOST)
  }
}

export const FOREIGN_HOST =
  'The Host is not a name of this sandbox. Use localhost, or add the name to the "allowedHosts" option'

/** The name or the address of a host, spelled in one way; empty if there is none. */
export function toName(host: string): string {
  const url = `http://${host}`
  return URL.canParse(url) ? new URL(url).hostname : ''
}

/** An address as it stands in a URL. */
export function toUrlHost(hostname: string): string {
  return hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname
}
