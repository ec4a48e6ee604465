import type { InboxEngine } from '../../src/inbox/inbox-engine.ts'

/** An engine with some methods. Every other one fails. */
export function fakeEngine(methods: Partial<InboxEngine>): InboxEngine {
  const missing = (name: string) => () => Promise.reject(new Error(`${name} was called`))
  return new Proxy(
    { keepCompletedSeconds: 60, oneAtATime: false, listsByFinish: undefined, ...methods } as InboxEngine,
    {
      get: (engine, name: keyof InboxEngine) => (name in engine ? engine[name] : missing(name)),
    },
  )
}
