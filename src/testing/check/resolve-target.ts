import { promises as dns } from 'node:dns'
import { BlockList, type LookupFunction } from 'node:net'
import { OptionError } from '../../option-checks.ts'

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8)
LOOPBACK.addAddress('::1', 'ipv6')

/** Addresses that a server listens on, and prints as its own, and where they are on this machine. */
const REACHED: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['[::]', '[::1]'],
])

export interface Target {
  readonly url: string
  /** Gives the addresses that were checked, whatever the name resolves to by then. */
  readonly lookup: LookupFunction
}

/**
 * Resolves the name once for all requests. If it does not resolve, they fail.
 *
 * @throws TypeError if it is not on this machine, and that is not allowed
 */
export async function resolveTarget(url: string, allowRemote: boolean): Promise<Target> {
  const target = new URL(url)
  target.hostname = REACHED.get(target.hostname) ?? target.hostname
  const host = target.hostname.replace(/^\[|\]$/g, '')
  const found = await dns.lookup(host, { all: true }).catch((error: Error) => error)
  const addresses = found instanceof Error ? [] : found
  const remote = addresses.find(
    ({ address, family }) => !LOOPBACK.check(address, family === 6 ? 'ipv6' : 'ipv4'),
  )
  if (remote && !allowRemote)
    throw new OptionError(
      'url',
      `on this machine, unless "allowRemote" or --yes is set; it is at ${remote.address}`,
    )
  const lookup: LookupFunction = (_host, { all }, done) => {
    const [first] = addresses
    if (first === undefined) done(found as Error, [])
    else if (all) done(null, addresses)
    else done(null, first.address, first.family)
  }
  return { url: target.href, lookup }
}
