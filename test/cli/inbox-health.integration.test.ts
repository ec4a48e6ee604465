import { describe, expect, it } from 'vitest'
import type { HealthProblem } from '../../src/inbox/health.ts'
import { createConsumer } from '../contracts/recording-consumer.ts'
import { describeWithService, hostAndPort, POSTGRES } from '../contracts/service.ts'
import { createAbout, createSigned } from '../contracts/signed-notification.ts'
import { createTcpProxy } from '../contracts/tcp-proxy.ts'
import { waitFor } from '../contracts/wait-for.ts'
import { payhook, payhookJson } from './payhook.ts'
import { describeOnEngines, openSqlite } from './test-inboxes.ts'

await describeOnEngines('payhook inbox health', (makeInbox) => {
  it('prints how the inbox is doing', async () => {
    const { url, open } = makeInbox()
    await (await open()).put(createSigned(1))
    // On a busy machine, an engine may take longer to respond than health waits.
    const passed = await waitFor(async () => {
      const outcome = await payhook(['inbox', 'health', url, '--json', '--lag', '1h', '--silence', '1h'])
      return outcome.stdout.includes('"fail"') ? undefined : outcome
    })
    const health = JSON.parse(passed.stdout)
    // The Redis of this machine may be.
    const problems = health.problems.filter(({ code }: HealthProblem) => code !== 'not_durable')
    expect({ ...passed, stdout: { ...health, problems } }).toEqual({
      code: 0,
      stdout: {
        version: 1,
        status: 'pass',
        waiting: { count: 1, oldestAgeMs: expect.any(Number) },
        active: { count: 0, oldestAgeMs: null, entryId: null, subject: null },
        paused: null,
        dead: { count: 0 },
        lastStoredAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        problems: [],
      },
      stderr: '',
    })
  })
})

await describeWithService('payhook inbox health on PostgreSQL', POSTGRES, () => {
  it('ends although the server hangs', async () => {
    const proxy = await createTcpProxy(hostAndPort(POSTGRES))
    proxy.hang()
    const url = `postgres://postgres@127.0.0.1:${proxy.port}/test`
    const stdout = 'status  fail\nThe inbox is not available (ETIMEDOUT).\n'
    expect(await payhook(['inbox', 'health', url])).toMatchObject({ code: 1, stdout })
    await proxy.close()
  })

  it('says what is wrong if there is no inbox', async () => {
    const outcome = await payhook(['inbox', 'health', `${POSTGRES}?schema=not_there`])
    const stderr = expect.stringContaining('no inbox in the schema "not_there"')
    expect(outcome).toMatchObject({ code: 1, stderr })
  })
})

describe('payhook inbox health', () => {
  it('names the entry whose handler hangs, and exits 1', async () => {
    const { url, inbox } = await openSqlite()
    const { promise: gate, resolve: end } = Promise.withResolvers<void>()
    await inbox.start(createConsumer(() => gate))
    await inbox.put(createAbout('payment:1', 'one'))
    await waitFor(async () => (await inbox.counts()).active === 1)
    const { code, stdout, stderr } = await payhook(['inbox', 'health', url, '--lag', '1ms'])
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    const report = [
      'status       warn',
      'waiting      0',
      'active       1, the oldest for 0s: 1, payment:1',
      'dead         0',
      'last stored  (time)',
      'The entry 1 has been handled for 0 seconds; does a handler hang?',
      '',
    ]
    const plain = stdout
      .replace(/\d+s/, '0s')
      .replace(/\d+ seconds?/, '0 seconds')
      .replace(/\S+Z$/m, '(time)')
    expect(plain.split('\n')).toEqual(report)
    end()
  })

  it('prints a failure as JSON if there is no server', async () => {
    const problem = { code: 'unavailable', message: 'The inbox is not available (ECONNREFUSED).' }
    const outcome = await payhookJson(['inbox', 'health', 'redis://127.0.0.1:1'])
    expect(outcome).toMatchObject({ code: 1, stdout: [{ status: 'fail', problems: [problem] }] })
  })
})
