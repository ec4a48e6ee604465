import type { MiddlewareHandler } from 'hono'
import { HttpError } from '../http-error.ts'

// Includes IPv4 addresses within IPv6.
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::(?:1|ffff:7f[\da-f]{2}:[\da-f]{1,4})\])$/
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])$/

/** The host names that requests may use. */
export interface HostRules {
  /** Whether requests to the service may have this `Host`. */
  allows(host: string): boolean
  /** Whether requests to the console and its API may have this `Host`. They reveal more than the service. */
  allowsControl(host: string): boolean
}

/**
 * Prevents DNS rebinding: a web page can make its own host name resolve to this machine, so that the browser
 * treats the sandbox as part of its site. Only known names are allowed: loopback names, the sandbox's own, and
 * `allowedHosts`. Addresses cannot be rebound. If the sandbox listens on a network address, the service itself
 * accepts every name.
 *
 * @param address the address that the sandbox listens on
 * @param hostname the name that resolved to the address
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

/** Rejects requests with a `Host` that is not allowed. */
export function verifyHost(rules: HostRules): MiddlewareHandler {
  return async (c, next) => {
    if (!rules.allows(c.req.header('host') ?? '')) throw new HttpError(421, FOREIGN_HOST)
    await next()
  }
}

export const FOREIGN_HOST =
  'The Host is not a name of this sandbox. Use localhost, or add the name to the "allowedHosts" option'

/** The normalized name or address of a host; empty if there is none. */
export function toName(host: string): string {
  const url = `http://${host}`
  return URL.canParse(url) ? new URL(url).hostname : ''
}

/** An address in its URL form. */
export function toUrlHost(hostname: string): string {
  return hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname
}
