import { type LookupAddress, lookup as lookupName } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8)
LOOPBACK.addAddress('::1', 'ipv6')

/** Where a check sends its requests. */
export interface Target {
  readonly href: string
  /** The callback token in the URL, if there is one. */
  readonly token: string | undefined
  /** Resolves the name to the addresses that were checked, whatever it resolves to by then. */
  readonly lookup: LookupFunction
  /** The target with another token; `null` removes it, `undefined` keeps it. */
  withToken(token: string | null | undefined): Pick<Target, 'href' | 'lookup'>
}

/**
 * Resolves the name of a URL once. A name that does not resolve is not an error here: the requests will fail.
 *
 * @throws TypeError if it is not on this machine, and that is not allowed
 */
export async function resolveTarget(url: string, allowRemote: boolean): Promise<Target> {
  const { hostname, searchParams, href } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const { error, addresses } = await resolveName(host)
  const remote = addresses.find(
    ({ address, family }) => !LOOPBACK.check(address, family === 6 ? 'ipv6' : 'ipv4'),
  )
  if (remote && !allowRemote) {
    throw new TypeError(
      `"url" must be on this machine, unless "allowRemote" is set; it is at ${remote.address}`,
    )
  }
  const lookup: LookupFunction = (_host, { all }, done) => {
    const [first] = addresses
    if (error || !first) done(error ?? new Error(`${host} has no address`), [])
    else if (all) done(null, addresses)
    else done(null, first.address, first.family)
  }
  return {
    href,
    lookup,
    token: searchParams.get('token') ?? undefined,
    withToken: (token) => ({ href: token === undefined ? href : replaceToken(href, token), lookup }),
  }
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

function replaceToken(href: string, token: string | null): string {
  const url = new URL(href)
  if (token === null) url.searchParams.delete('token')
  else url.searchParams.set('token', token)
  return url.href
}
