import { expect, it } from 'vitest'
import { InboxError } from '../../src/errors.ts'
import { createHealth, type EngineHealth } from '../../src/inbox/health.ts'

const NOTHING: EngineHealth = {
  now: 1_000_000,
  waiting: { count: 0, oldestDueAt: undefined },
  active: { count: 0, oldest: undefined },
  paused: undefined,
  dead: { count: 0 },
  lastStoredAt: undefined,
}

it('shares a read between calls that overlap, whatever their options', async () => {
  let reads = 0
  let { promise, resolve } = Promise.withResolvers<EngineHealth>()
  const health = createHealth(() => {
    reads += 1
    return promise
  })
  const both = Promise.all([health({ silenceMs: 1 }), health()])
  resolve(NOTHING)
  expect((await both).map(({ status }) => status)).toEqual(['warn', 'pass'])
  expect(reads).toBe(1)
  ;({ promise, resolve } = Promise.withResolvers<EngineHealth>())
  resolve({ ...NOTHING, dead: { count: 1 } })
  expect((await health()).problems).toEqual([
    {
      code: 'dead',
      message: '1 notification failed for good: look at the errors, then replay or delete.',
    },
  ])
  expect(reads).toBe(2)
})

it('fails while a read hangs, starts no other, and passes after it ended', async () => {
  let reads = 0
  const { promise, resolve } = Promise.withResolvers<EngineHealth>()
  const health = createHealth(() => {
    reads += 1
    return promise
  })
  const failed = { status: 'fail', problems: [{ message: 'The inbox is not available (ETIMEDOUT).' }] }
  expect(await Promise.all([health(), health()])).toMatchObject([failed, failed])
  expect(reads).toBe(1)
  resolve(NOTHING)
  expect((await health()).status).toBe('pass')
})

it('says that nothing has ever arrived', async () => {
  expect((await createHealth(async () => NOTHING)({ silenceMs: 1_000 })).problems).toEqual([
    {
      code: 'silent',
      message: 'No notification has ever arrived in this inbox; can the service reach the URL?',
    },
  ])
})

it('names the code of the innermost error and nothing else of it', async () => {
  const refused = Object.assign(new Error('connect to marked.example'), { code: 'ECONNREFUSED' })
  const circular = Object.assign(new Error('marked'), { code: 'EIO' })
  circular.cause = circular
  const reasons: [unknown, string][] = [
    [new Error('the engine failed', { cause: refused }), ' (ECONNREFUSED)'],
    [Object.assign(new Error('marked'), { code: 'marked value' }), ''],
    [Object.assign(new Error('marked'), { code: 5 }), ''],
    ['marked', ''],
    [circular, ' (EIO)'],
    [new InboxError('inbox_too_new', 'marked', { cause: refused }), ' (inbox_too_new)'],
    [new InboxError('inbox_unavailable', 'marked', { cause: refused }), ' (ECONNREFUSED)'],
  ]
  for (const [error, reason] of reasons) {
    const { status, problems } = await createHealth(() => Promise.reject(error))()
    expect([status, problems]).toEqual([
      'fail',
      [{ code: 'unavailable', message: `The inbox is not available${reason}.` }],
    ])
  }
})

it('warns of what is longer than its limit, not of what is as long', async () => {
  const health = createHealth(async () => ({
    ...NOTHING,
    waiting: { count: 1, oldestDueAt: 940_000 },
    active: { count: 1, oldest: { id: '7', subject: null, startedAt: 999_000 } },
    lastStoredAt: 880_000,
  }))
  const codes = async (lagMs?: number, silenceMs?: number) =>
    (await health({ lagMs, silenceMs })).problems.map(({ code }) => code)
  expect(await codes(60_000, 120_000)).toEqual([])
  expect(await codes(59_999, 119_999)).toEqual(['waiting', 'silent'])
  expect(await codes(1)).toEqual(['waiting', 'active'])
  const messages = (await health({ lagMs: 1, silenceMs: 1 })).problems.map(({ message }) => message)
  expect(messages).toEqual([
    'A notification has been due for 60 seconds; is a worker running?',
    'The entry 7 has been handled for 1 second; does a handler hang?',
    'No notification has arrived for 2 minutes; can the service reach the URL?',
  ])
})

it.each([
  [999, '0 seconds'],
  [119_999, '119 seconds'],
  [120_000, '2 minutes'],
  [7_200_000, '2 hours'],
  [172_799_999, '47 hours'],
  [864_000_000, '10 days'],
])('says %d ms as %s', async (ms, duration) => {
  const health = createHealth(async () => ({ ...NOTHING, now: 1e12, lastStoredAt: 1e12 - ms }))
  const { problems } = await health({ silenceMs: 1 })
  expect(problems[0]?.message).toContain(`arrived for ${duration};`)
})

it.each([{ lag: 1 }, { lagMs: 0 }])('rejects the options %o', async (options) => {
  await expect(createHealth(async () => NOTHING)(options)).rejects.toThrow(TypeError)
})

it('has no negative ages if the clock was set back', async () => {
  const health = createHealth(async () => ({
    ...NOTHING,
    waiting: { count: 1, oldestDueAt: 2_000_000 },
    lastStoredAt: 2_000_000,
  }))
  expect(await health({ lagMs: 1, silenceMs: 1 })).toMatchObject({
    status: 'pass',
    waiting: { oldestAgeMs: 0 },
    lastStoredAt: new Date(2_000_000),
  })
})
