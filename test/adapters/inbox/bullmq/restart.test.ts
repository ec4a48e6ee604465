import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Redis } from 'ioredis'
import { expect, it } from 'vitest'
import { createBullmqInbox } from '../../../../adapters/inbox/bullmq/bullmq-inbox.ts'
import { createConsumer } from '../../../contracts/recording-consumer.ts'
import { createSigned } from '../../../contracts/signed-notification.ts'
import { createTcpProxy } from '../../../contracts/tcp-proxy.ts'
import { waitFor } from '../../../contracts/wait-for.ts'

const canStart = spawnSync('redis-server', ['--version']).status === 0
/** Makes each key take a while to load, while Redis already responds. */
const SLOW_LOADING = { 'key-load-delay': 10_000, 'loading-process-events-interval-bytes': 1_024 }

it.skipIf(!canStart && !process.env.CI)(
  'is retried while it loads its data, and used as soon as it is ready',
  async () => {
    await using server = await createServer()
    await server.start()
    const admin = new Redis({ port: server.port, enableReadyCheck: false })
    admin.on('error', () => {})
    const inbox = createBullmqInbox({ connection: { host: '127.0.0.1', port: server.port } })
    const consumer = createConsumer()
    await inbox.start(consumer)
    await inbox.put(createSigned('before'))
    await waitFor(() => consumer.deliveries.length === 1)
    await admin.mset(Array.from({ length: 20_000 }, (_, id) => [`key ${id}`, 'x'.repeat(100)]).flat())
    await admin.save()

    await server.stop()
    await server.start(SLOW_LOADING)
    await expect(inbox.put(createSigned('meanwhile'))).rejects.toMatchObject({ code: 'inbox_unavailable' })
    let asked = 0
    await waitFor(async () => {
      asked += 1
      const info = await admin.info('everything').catch(() => '')
      expect(info).not.toContain('\nloading:0')
      return Number(/cmdstat_info:calls=(\d+)/.exec(info)?.[1]) - asked > 20
    })
    await admin.config('SET', 'key-load-delay', '0')
    await waitFor(() => inbox.put(createSigned('after')).catch(() => undefined))
    await waitFor(() => consumer.attemptsOf(createSigned('after').signature).length === 1)
    await inbox.close()
    admin.disconnect()
  },
)

/** Our own Redis, which keeps its saved data over a restart. */
async function createServer() {
  const folder = mkdtempSync(join(tmpdir(), 'payhook-redis-'))
  const { port, close } = await createTcpProxy({ host: '127.0.0.1', port: 1 })
  await close()
  let stop = async () => {}
  return {
    port,
    async start(settings: Record<string, number> = {}) {
      const options = Object.entries({ port, bind: '127.0.0.1', dir: folder, ...settings })
      const server = spawn(
        'redis-server',
        options.flatMap(([name, value]) => [`--${name}`, String(value)]),
        { stdio: ['ignore', 'pipe', 'inherit'] },
      )
      const ended = once(server, 'close')
      for await (const line of createInterface(server.stdout))
        if (/Ready to|Server initialized/.test(line)) break
      server.stdout.resume()
      stop = async () => {
        server.kill('SIGKILL')
        await ended
      }
    },
    stop: () => stop(),
    async [Symbol.asyncDispose]() {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
