import { type LookupAddress, lookup as lookupName } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8)
LOOPBACK.addAddress('::1', 'ipv6')

export class RemoteTargetError extends TypeError {
  readonly address: string

  constructor(address: string) {
    super(`"url" must be on this machine, unless "allowRemote" is set; it is at ${address}`)
    this.address = address
  }
}

/** Addresses that a server listens on, and prints as its own, and where they are on this machine. */
const REACHED: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['[::]', '[::1]'],
])

/** Where a check sends its requests. */
export interface Target {
  readonly href: string
  /** Resolves the name to the addresses that were checked, whatever it resolves to by then. */
  readonly lookup: LookupFunction
}

/**
 * Resolves the name of a URL once. A name that does not resolve is not an error here: the requests will fail.
 *
 * @throws TypeError if it is not on this machine, and that is not allowed
 */
export async function resolveTarget(url: string, allowRemote: boolean): Promise<Target> {
  const reached = new URL(url)
  reached.hostname = REACHED.get(reached.hostname) ?? reached.hostname
  const host = reached.hostname.replace(/^\[|\]$/g, '')
  const { error, addresses } = await resolveName(host)
  const remote = addresses.find(
    ({ address, family }) => !LOOPBACK.check(address, family === 6 ? 'ipv6' : 'ipv4'),
  )
  if (remote && !allowRemote) {
    throw new RemoteTargetError(remote.address)
  }
  const lookup: LookupFunction = (_host, { all }, done) => {
    const [first] = addresses
    if (error || !first) done(error ?? new Error(`${host} has no address`), [])
    else if (all) done(null, addresses)
    else done(null, first.address, first.family)
  }
  return { href: reached.href, lookup }
}

async function resolveName(host: string) {
  const { promise, resolve } = Promise.withResolvers<{
    error: NodeJS.ErrnoException | null
    addresses: LookupAddress[]
  }>()
  const family = isIP(host)
  if (family !== 0) resolve({ error: null, addresses: [{ address: host, family }] })
  else lookupName(host, { all: true }, (error, addresses) => resolve({ error, addresses: addresses ?? [] }))
  return await promise
}
