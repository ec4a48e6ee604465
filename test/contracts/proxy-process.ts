// A process with TCP proxies, for `proxy-apart.ts`.

import type { ProxyAnswer, ProxyCall } from './proxy-apart.ts'
import { createTcpProxy, type TcpProxy } from './tcp-proxy.ts'

const proxies = new Map<number, TcpProxy>()

process.once('disconnect', () => process.exit())
process.on('message', async ({ call, target, port, act }: ProxyCall) => {
  const proxy = target === undefined ? proxies.get(port) : await createTcpProxy(target)
  if (proxy === undefined) throw new Error(`There is no proxy with port ${port}.`)
  proxies.set(proxy.port, proxy)
  if (act !== undefined) await proxy[act]()
  const answer: ProxyAnswer = { call, port: proxy.port }
  process.send?.(answer)
})
