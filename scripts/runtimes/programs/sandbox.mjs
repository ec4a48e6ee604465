// Client, sandbox and receiver on any runtime. The client registers a callback URL, with its token in a file.
// The sandbox sends one valid and one forged notification. Prints the received event, and the responses to the
// forged one.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createReceiver } from 'payhook'
import { createClient, createFileTokenStore } from 'payhook/client'
import { receiveWebhooks } from 'payhook/node'
import { createSandbox } from 'payhook/sandbox'

const folder = mkdtempSync(join(tmpdir(), 'payhook-sandbox-'))
const kind = 'INBOUND_PAYMENT_STATUS_UPDATED'
const sandbox = await createSandbox({ retryDelayMs: 10 })
const { url: baseUrl, clientId, clientSecret } = sandbox
const receiver = createReceiver({ clientId, callbackToken: false })
const received = []
receiver.onAny((event) => received.push(`${event.type} ${event.data.id}`))
const server = createServer(receiveWebhooks(receiver))
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))

const tokenStore = createFileTokenStore({ path: join(folder, 'token.json') })
const client = createClient({ baseUrl, clientId, clientSecret, tokenStore })
await client.webhooks.sync([{ event: kind, callbackUrl: `http://127.0.0.1:${server.address().port}/` }])
await sandbox.trigger(kind, { id: 9223372036854775807n })
const [forged] = await sandbox.trigger(kind, {}, { faults: { signature: 'wrong' } })
console.log(`${received.join()}, then ${forged.attempts.map(({ status }) => status).join(' ')}`)

await sandbox.close()
server.close()
server.closeAllConnections?.()
rmSync(folder, { recursive: true })
