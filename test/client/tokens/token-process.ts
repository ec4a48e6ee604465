// A process of its own with a client that shares a token file. Its argument is JSON: where the service and the
// file are, and what to do. What it did it tells its parent over IPC.

import { createClient, createFileTokenStore } from '../../../src/client/index.ts'
import { readPlan } from '../../contracts/start-program.ts'
import type { TokenProcessPlan } from './token-child.ts'

const plan = readPlan<TokenProcessPlan>()
const tell = (message: unknown) => void process.send?.(message)

// An orphan must not outlive its parent.
process.once('disconnect', () => process.exit(1))

const tokenStore = createFileTokenStore({ path: plan.path })

if (plan.role === 'holder') {
  await tokenStore.lock?.(plan.key ?? '', async () => {
    tell({ locked: true })
    // Alive until it is killed, as a process is that hangs in a grant.
    await new Promise((resolve) => setTimeout(resolve, 2 ** 30))
  })
}

const { baseUrl, clientId, clientSecret, rounds = 1 } = plan
const client = createClient({ baseUrl, clientId, clientSecret, tokenStore, retryDelayMs: 1 })
tell({ ready: true })
await new Promise((resolve) => process.once('message', resolve))

for (let round = 0; round < rounds; round++) {
  try {
    await client.refresh()
    tell({ done: round })
  } catch (error) {
    tell({ failed: String(error), code: (error as { code?: string }).code })
  }
}
process.disconnect()
