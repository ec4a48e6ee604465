import { type ChildProcess, fork } from 'node:child_process'
import type { NetConnectOpts } from 'node:net'

type Act = 'cut' | 'hang' | 'mend' | 'close'

/** A `TcpProxy` in another process. */
export type ProxyApart = { readonly port: number } & Readonly<Record<Act, () => Promise<void>>>

export type ProxyCall = { readonly call: number } & (
  | { readonly target: NetConnectOpts; readonly port?: never; readonly act?: never }
  | { readonly target?: never; readonly port: number; readonly act: Act }
)

export interface ProxyAnswer {
  readonly call: number
  readonly port: number
}

const pending = new Map<number, (answer: ProxyAnswer) => void>()
let calls = 0
let child: ChildProcess | undefined

/**
 * Like `createTcpProxy`, but passes on what an engine responds also while this process is busy with something
 * else. A proxy in this process would let a call fail for which the process has no time.
 */
export async function createProxyApart(target: NetConnectOpts): Promise<ProxyApart> {
  const { port } = await ask({ call: calls++, target })
  const does = (act: Act) => async () => void (await ask({ call: calls++, port, act }))
  return { port, cut: does('cut'), hang: does('hang'), mend: does('mend'), close: does('close') }
}

function ask(call: ProxyCall): Promise<ProxyAnswer> {
  child ??= start()
  const { promise, resolve } = Promise.withResolvers<ProxyAnswer>()
  pending.set(call.call, resolve)
  child.send(call)
  return promise
}

/** One process for all proxies, which ends with this one. */
function start(): ChildProcess {
  const started = fork(new URL('proxy-process.ts', import.meta.url), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  started.on('message', (answer: ProxyAnswer) => {
    pending.get(answer.call)?.(answer)
    pending.delete(answer.call)
  })
  started.unref()
  started.channel?.unref()
  return started
}
