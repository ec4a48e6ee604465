import { HttpError } from '../http-error.ts'

// Includes IPv4 addresses within IPv6.
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::(?:1|ffff:7f[\da-f]{2}:[\da-f]{1,4})\])$/
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])$/

const FOREIGN_HOST =
  'The Host is not a name of this sandbox. Use localhost, or add the name to the "allowedHosts" option'

export type HostRules = ReturnType<typeof createHostRules>

/**
 * Prevents DNS rebinding: a web page can make its own host name resolve to this machine, so that the browser
 * treats the sandbox as part of its site. Only known names are allowed: loopback names, the sandbox's own, and
 * `allowedHosts`. Addresses cannot be rebound. If the sandbox listens on a network address, the service itself
 * accepts every name.
 *
 * @param hostname the name that resolved to the address
 */
export function createHostRules(address: string, hostname: string, allowedHosts: readonly string[] = []) {
  const isForThisMachine = LOOPBACK.test(toName(toUrlHost(address)))
  const known = new Set([hostname, ...allowedHosts].map((host) => toName(toUrlHost(host))))
  const isKnown = (name: string) => LOOPBACK.test(name) || (name !== '' && known.has(name))
  const rule = (accepts: (name: string) => boolean) => (host: string | undefined) => {
    if (!accepts(toName(host ?? ''))) throw new HttpError(421, FOREIGN_HOST, 'host_not_allowed')
  }
  return {
    /** For requests to the service. */
    check: rule((name) => (!isForThisMachine && allowedHosts.length === 0) || isKnown(name)),
    /** For requests to the console and its API, which reveal more than the service. */
    checkControl: rule((name) => isKnown(name) || (!isForThisMachine && ADDRESS.test(name))),
  }
}

/** The normalized name or address of a host; empty if there is none. */
function toName(host: string): string {
  const url = `http://${host}`
  return URL.canParse(url) ? new URL(url).hostname : ''
}

export function toUrlHost(hostname: string): string {
  return hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname
}
