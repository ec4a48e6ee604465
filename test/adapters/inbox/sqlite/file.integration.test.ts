import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createGroupCommit } from '../../../../adapters/inbox/sqlite/group-commit.ts'
import { createSqliteInbox } from '../../../../adapters/inbox/sqlite/sqlite-inbox.ts'
import { movePage } from '../../../../src/cli/commands/inbox/move.ts'
import { engineOf } from '../../../../src/inbox/create-inbox.ts'
import type { Inbox } from '../../../../src/index.ts'
import { type ProcessPlan, startInboxProcess } from '../../../contracts/inbox-child.ts'
import { createConsumer } from '../../../contracts/recording-consumer.ts'
import { createSigned, signedFrom } from '../../../contracts/signed-notification.ts'
import { waitFor } from '../../../contracts/wait-for.ts'
import { useFile } from './use-file.ts'

const file = useFile()
const { open } = file
let folder: string
let path: string

beforeEach(() => {
  ;({ folder, path } = file)
})

/** Starts a process with an inbox on the file, which is killed after the test. */
function start(plan: Omit<ProcessPlan, 'place'>) {
  const child = startInboxProcess({ place: { engine: 'sqlite', path }, ...plan })
  onTestFinished(child.kill)
  return child
}

/** Runs a program in a child process, and returns its output. */
function run(program: string): string {
  return execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
}

/** Begins a transaction of another connection, which ends with `release`. */
function block(): { release(statements?: string): void } {
  const blocker = new DatabaseSync(path)
  blocker.exec('begin immediate')
  return {
    release(statements = '') {
      blocker.exec(`${statements}; commit`)
      blocker.close()
    },
  }
}

const failOnce = () => createConsumer(({ attempt }) => attempt === 1 && Promise.reject(new Error('down')))

const completed = (inbox: Inbox, count: number) =>
  waitFor(async () => (await inbox.counts()).completed === count)

function sql(...statements: string[]): Record<string, unknown>[] {
  const database = new DatabaseSync(path)
  try {
    return statements.flatMap((statement) => database.prepare(statement).all())
  } finally {
    database.close()
  }
}

describe('options', () => {
  it.each<[object, string]>([
    [{}, '"path" option must be the path of a file'],
    [{ path: '' }, '"path" option must be the path of a file'],
    [{ path: ':memory:' }, '"path" option must be the path of a file'],
    [{ path, file: 'x' }, '"file" is not an option; the options are dedupeSeconds,'],
    [{ create: 'no' }, '"create" option must be a boolean'],
    [{ now: 5 }, '"now" option must be a function'],
    [{ dedupeSeconds: -1 }, '"dedupeSeconds" option must be an integer from 0 to 86400'],
    [{ concurrency: 0 }, '"concurrency" option must be an integer from 1 to 1000'],
    [{ keepCompletedSeconds: 0.5 }, '"keepCompletedSeconds" option must be an integer from 0 to 315360000'],
  ])('reject %j', (options, message) => {
    const isWhole = 'path' in options || Object.keys(options).length === 0
    const all = (isWhole ? options : { path, ...options }) as never
    expect(() => createSqliteInbox(all)).toThrow(TypeError)
    expect(() => createSqliteInbox(all)).toThrow(message)
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('opening', () => {
  const opening = () => expect(() => open())

  it('makes the file readable by its owner only', async () => {
    await open().put(createSigned(1))
    for (const file of readdirSync(folder)) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600)
  })

  it.each<[string, () => void]>([
    [
      'a missing folder',
      () => {
        path = file.path = join(folder, 'none', 'inbox.db')
      },
    ],
    ['a folder', () => mkdirSync(path)],
    [
      'a file that is not a database',
      () => writeFileSync(path, 'SQLite format 4, or so it says. '.repeat(100)),
    ],
  ])('rejects %s, and says what to check', (_, prepare) => {
    prepare()
    opening().toThrow(`${path} cannot be opened as an inbox. Does the folder exist`)
    opening().toThrow(expect.objectContaining({ code: 'inbox_misconfigured', cause: expect.any(Error) }))
  })

  it('names the version that is needed if Node has no SQLite', () => {
    const missing = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never)
    opening().toThrow(`payhook/sqlite needs Node 22.13 or later, but this is Node ${process.versions.node}.`)
    missing.mockRestore()
  })

  it('creates no file if "create" is false, but opens an existing one', async () => {
    const missing = expect.objectContaining({
      code: 'inbox_misconfigured',
      message: `There is no inbox at ${path}.`,
    })
    expect(() => open({ create: false })).toThrow(missing)
    expect(readdirSync(folder)).toEqual([])
    writeFileSync(path, '')
    expect(() => open({ create: false })).toThrow(missing)
    await open().put(createSigned(1))
    expect(await open({ create: false }).counts()).toMatchObject({ waiting: 1 })
  })

  it('rejects a read-only file', async () => {
    await open().close()
    chmodSync(folder, 0o755)
    chmodSync(path, 0o444)
    // Root can write to any file.
    const program = `
      import { createSqliteInbox } from ${JSON.stringify(new URL('../../../../adapters/inbox/sqlite/sqlite-inbox.ts', import.meta.url).href)}
      if (process.getuid() === 0) process.setuid(65534)
      try {
        createSqliteInbox({ path: ${JSON.stringify(path)} })
      } catch ({ code, cause }) {
        console.log(code, cause.code)
      }
    `
    expect(run(program)).toBe('inbox_misconfigured EACCES\n')
  })

  it("does not change another program's database", () => {
    sql('create table accounts (id integer)')
    opening().toThrow(`${path} belongs to another program.`)
    expect(sql('select name from sqlite_schema')).toEqual([{ name: 'accounts' }])
  })

  it('does not change the database of a newer version, and says what to do', async () => {
    await open().close()
    sql('pragma user_version = 99')
    opening().toThrow(expect.objectContaining({ code: 'inbox_too_new' }))
    opening().toThrow(/has version 99, but this payhook supports at most 1\. Update payhook\./)
    expect(sql('pragma user_version')).toEqual([{ user_version: 99 }])
  })

  it('can be opened while another process writes', () => {
    open()
    const { release } = block()
    expect(open).not.toThrow()
    release()
  })

  it('can be created and used by many processes at once', async () => {
    const children = [0, 5, 10].map((from) => start({ role: 'receiver', count: 5, from }))
    await Promise.all(children.map((child) => child.ended()))
    expect(await open().counts()).toMatchObject({ waiting: 15 })
  })

  it('uses a write-ahead log that is synced at every commit of a put', async () => {
    const exec = vi.spyOn(DatabaseSync.prototype, 'exec')
    await open().put(createSigned(1))
    const told = exec.mock.calls.flatMap(([text]) => /synchronous = (\w+)/.exec(text)?.[1] ?? [])
    exec.mockRestore()
    expect(told).toEqual(['full', 'normal'])
    expect(sql('pragma journal_mode')).toEqual([{ journal_mode: 'wal' }])
  })

  it('starts with an empty log, even after a crash', async () => {
    const child = start({ role: 'receiver', count: 1e9 })
    await child.message((message) => 'put' in message)
    await child.kill()
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0)
    open()
    expect(statSync(`${path}-wal`).size).toBe(0)
  })

  it.each(['file:mem?mode=memory', 'file::memory:', 'file:other.db?nolock=1'])(
    'treats %s as a file name',
    async (name) => {
      const cwd = process.cwd()
      process.chdir(folder)
      try {
        const inbox = open({ path: name })
        await inbox.put(createSigned(1))
        await inbox.close()
        expect(existsSync(join(folder, name))).toBe(true)
        expect(await open({ path: name }).counts()).toMatchObject({ waiting: 1 })
      } finally {
        process.chdir(cwd)
      }
    },
  )
})

describe('the deduplication window', () => {
  it('stores new notifications after the clock was set back', async () => {
    let time = 10_000_000
    const inbox = open({ now: () => time })
    expect(await inbox.put(createSigned(1))).toBe('stored')
    time -= 3_600_000
    expect(await inbox.put(createSigned(1))).toBe('stored')
    time += 119_999
    expect(await inbox.put(createSigned(1))).toBe('duplicate')
    expect(await open({ now: () => time }).put(createSigned(1))).toBe('duplicate')
    time += 1
    expect(await inbox.put(createSigned(1))).toBe('stored')
  })

  it('is read from the file when it is opened later', async () => {
    let time = 1_000_000
    const now = () => time
    const first = open({ now })
    for (let id = 0; id < 10; id++) {
      time += 1_000
      await first.put(createSigned(id))
    }
    time += 115_000
    const second = open({ now })
    const results = []
    for (let id = 0; id < 10; id++) results.push(await second.put(createSigned(id)))
    expect(results).toEqual([...Array(5).fill('stored'), ...Array(5).fill('duplicate')])
  })

  it('of a process is kept by others whose own is shorter', async () => {
    let time = 1_000_000
    const now = () => time
    await open({ now }).put(createSigned(1))
    time += 61_000
    const shorter = open({ now, dedupeSeconds: 60 })
    for (const id of [2, 3]) await shorter.put(createSigned(id))
    expect(await open({ now }).put(createSigned(1))).toBe('duplicate')
  })

  it('is read before the first transaction, so that other processes need not wait', async () => {
    await open().put(createSigned(1))
    const inbox = open()
    sql('delete from recent')
    expect(await inbox.put(createSigned(1))).toBe('duplicate')
  })

  it('is read before a transaction that follows a pause', async () => {
    let time = 1_000_000
    const now = () => time
    const [here, there] = [open({ now }), open({ now })]
    await here.put(createSigned(1))
    await there.put(createSigned(2))
    time += 1_000
    const blocker = block()
    const put = here.put(createSigned(3))
    await nextTurn()
    blocker.release('delete from recent')
    expect(await put).toBe('stored')
    expect(await here.put(createSigned(2))).toBe('duplicate')
  })

  it('detects a duplicate that arrives while the first waits for another process', async () => {
    const inbox = open()
    const blocker = block()
    const first = Array.from({ length: 20 }, (_, id) => inbox.put(createSigned(id)))
    await nextTurn()
    const again = Array.from({ length: 21 }, (_, id) => inbox.put(createSigned(id)))
    blocker.release()
    expect(await Promise.all(first)).toEqual(Array(20).fill('stored'))
    expect(await Promise.all(again)).toEqual([...Array(20).fill('duplicate'), 'stored'])
    expect(await inbox.counts()).toMatchObject({ waiting: 21 })
  })

  it('sees a delivery of another process after its own transaction failed', async () => {
    const [here, there] = [open(), open()]
    sql(
      `create trigger full before insert on notification when new.client_id = 'full' begin select raise(abort, 'full'); end`,
    )
    await expect(here.put({ ...createSigned(1), clientId: 'full' })).rejects.toMatchObject({
      cause: { message: 'full' },
    })
    expect(await there.put(createSigned(2))).toBe('stored')
    expect(await here.put(createSigned(2))).toBe('duplicate')
    expect(await here.put(createSigned(1))).toBe('stored')
  })
})

describe('the clock', () => {
  it('does not delay a retry if it is set back', async () => {
    let time = Date.now()
    const inbox = open({ now: () => time, retryDelayMs: 5_000, maxRetryDelayMs: 5_000 })
    await inbox.put(createSigned(1))
    await inbox.start(failOnce())
    await waitFor(async () => (await inbox.get('1'))?.error)
    time -= 30 * 86_400_000
    await waitFor(async () => (await inbox.get('1'))?.state === 'completed')
  })

  it('does not delay a retry if it is set back before the result is stored', async () => {
    let time = Date.now()
    const inbox = open({ now: () => time, retryDelayMs: 1 })
    await inbox.put(createSigned(1))
    let blocker: ReturnType<typeof block> | undefined
    const consumer = createConsumer(async () => {
      blocker = block()
      throw new Error('down')
    })
    await inbox.start(consumer)
    await waitFor(() => blocker)
    await nextTurn()
    time -= 30 * 86_400_000
    blocker?.release()
    const waiting = await waitFor(async () => (await inbox.list({ state: 'waiting' }))[0])
    expect(waiting.dueAt).toEqual(new Date(time + 1))
  })

  it('orders a retry before notifications that arrived after it was due', async () => {
    let time = Date.now()
    const inbox = open({ now: () => time, retryDelayMs: 1_000, concurrency: 1 })
    const consumer = createConsumer(({ id, attempt }) => {
      if (id === '1' && attempt === 1) throw new Error('down')
    })
    await inbox.put(createSigned(1))
    await inbox.start(consumer)
    await waitFor(async () => (await inbox.get('1'))?.error)
    await inbox.stop()
    await inbox.put({ ...createSigned(2), receivedAt: new Date(time + 5_000) })
    time += 10_000
    await inbox.start(consumer)
    await completed(inbox, 2)
    expect(consumer.deliveries.map(({ id }) => id)).toEqual(['1', '1', '2'])
  })

  it('orders retries by when they are due', async () => {
    let time = Date.now()
    const inbox = open({ now: () => time, retryDelayMs: 1_000, concurrency: 1 })
    const failing = { now: true }
    const consumer = createConsumer(() => failing.now && Promise.reject(new Error('down')))
    await inbox.start(consumer)
    const fail = async (id: string, attempts: number) =>
      await waitFor(async () => {
        const entry = await inbox.get(id)
        return entry?.attempts === attempts && entry.state === 'waiting'
      })
    await inbox.put(createSigned(1))
    await fail('1', 1)
    time += 1_000
    await fail('1', 2)
    // Due before the first one, which has failed twice.
    await inbox.put(createSigned(2))
    await fail('2', 1)
    failing.now = false
    time += 3_600_000
    await completed(inbox, 2)
    expect(consumer.deliveries.map(({ id }) => id).slice(-2)).toEqual(['2', '1'])
  })

  it('determines how long completed notifications are kept', async () => {
    let time = Date.now()
    const options = { now: () => time, keepCompletedSeconds: 60 }
    const first = open(options)
    await first.put(createSigned(1))
    await first.start(createConsumer())
    await completed(first, 1)
    await first.close()
    time += 60_001
    const second = open(options)
    await second.start(createConsumer())
    await completed(second, 0)
  })

  it('may return fractions of a millisecond', async () => {
    const inbox = open({ now: () => Date.now() + 0.5 })
    await inbox.put(createSigned(1))
    await inbox.start(failOnce())
    await completed(inbox, 1)
  })
})

describe('a lease', () => {
  /** A process whose handlers hang, once it has begun to handle a notification. */
  const worker = async (what: 'handling' | 'started' = 'handling') => {
    // It must not take what is put later.
    const child = start({ role: 'worker', handler: 'hang', options: { concurrency: 1 } })
    await child.message((message) => what in message)
    return child
  }
  const lockFiles = () => readdirSync(folder).filter((file) => file.includes('-worker-'))

  it('is kept by a frozen process, and released at once when it dies', async () => {
    const inbox = open()
    await inbox.put(createSigned(1))
    const child = await worker()
    await waitFor(async () => {
      child.signal('SIGSTOP')
      const isStored = await inbox.put(createSigned(2)).catch(() => undefined)
      // In the middle of a write, it keeps the file locked.
      if (isStored === undefined) child.signal('SIGCONT')
      return isStored
    })
    const consumer = createConsumer()
    await inbox.start(consumer)
    // It is delivered after a look for leases of dead processes.
    await waitFor(() => consumer.deliveries.length > 0)
    expect(await inbox.get('1')).toMatchObject({ state: 'active', error: null })
    await child.kill()
    await waitFor(() => consumer.deliveries.length === 2)
    expect(consumer.deliveries.map(({ id }) => id)).toEqual(['2', '1'])
  })

  it('is respected under any path to the same file', async () => {
    const inbox = open()
    await inbox.put(createSigned(1))
    await worker()
    const [alias, cwd] = [join(folder, 'alias.db'), process.cwd()]
    symlinkSync(path, alias)
    const other = open({ path: alias })
    process.chdir(folder)
    const relative = open({ path: 'alias.db' })
    process.chdir(cwd)
    const consumer = createConsumer()
    for (const [index, opened] of [other, relative].entries()) {
      await opened.start(consumer)
      await opened.put(createSigned(index + 2))
      await waitFor(() => consumer.deliveries.length > index)
      await opened.stop()
      expect(await inbox.get('1')).toMatchObject({ state: 'active', error: null })
    }
  })

  it('of a crashed process is a failed attempt, with the usual delay', async () => {
    let time = Date.now()
    const inbox = open({ now: () => time, retryDelayMs: 3_600_000 })
    await inbox.put(createSigned(1))
    sql(`update work set state = 2, attempts = 1, worker = 'dead'`)
    const consumer = createConsumer(() => Promise.reject(new Error('down')))
    await inbox.start(consumer)
    const waiting = await waitFor(async () => (await inbox.list({ state: 'waiting' }))[0])
    expect(waiting).toMatchObject({ attempts: 1, error: expect.stringContaining('The process ended') })
    expect(waiting.dueAt?.getTime()).toBeGreaterThanOrEqual(time + 1_800_000)
    expect(sql('select crashes from work')).toEqual([{ crashes: 1 }])
    time += 3_600_000
    await waitFor(async () => (await inbox.get('1'))?.attempts === 2)
    await waitFor(async () => (await inbox.get('1'))?.state === 'waiting')
    expect(sql('select crashes from work')).toEqual([{ crashes: 0 }])
  })

  it('of a worker whose lock file cannot be opened does not prevent a start', async () => {
    const inbox = open()
    await inbox.put(createSigned(1))
    // Like a file of another user, even for root.
    mkdirSync(`${path}-worker-other`)
    sql(`update work set state = 2, worker = 'other'`)
    const consumer = createConsumer()
    await inbox.start(consumer)
    await inbox.put(createSigned(2))
    await completed(inbox, 1)
    expect(consumer.deliveries.map(({ id }) => id)).toEqual(['2'])
    expect(consumer.failures).toEqual([])
  })

  it.runIf(process.getuid?.() === 0)('of root leaves its files to the owner of the database', async () => {
    const inbox = open()
    chownSync(path, 65534, 65534)
    await inbox.start(createConsumer())
    const [file = ''] = lockFiles()
    expect(statSync(join(folder, file)).uid).toBe(65534)
  })

  it('leaves no lock file, however the worker ended', async () => {
    const inbox = open()
    await inbox.put(createSigned(1))
    await (await worker()).kill()
    expect(lockFiles()).toHaveLength(1)
    await inbox.start(createConsumer())
    await completed(inbox, 1)
    expect(lockFiles()).toHaveLength(1)
    await inbox.stop()
    expect(lockFiles()).toEqual([])
  })
})

describe.skipIf(process.platform !== 'linux')('a full disk', () => {
  it('rejects puts, keeps what was acknowledged, and recovers when there is space', async () => {
    const plan = { place: { engine: 'sqlite', path }, role: 'receiver', count: 1e9 }
    const script = new URL('../../../contracts/inbox-process.ts', import.meta.url).pathname
    // A limit on the file size simulates the full disk.
    const limited = [
      '-c',
      'ulimit -S -f 1000; exec "$0" "$@"',
      process.execPath,
      script,
      JSON.stringify(plan),
    ]
    const child = spawn('bash', limited, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    const stored: string[] = []
    const rejected: string[] = []
    child.on('message', (message: Record<string, string>) => {
      if (message.put !== undefined) stored.push(message.put)
      else rejected.push(String(message.error))
    })
    await waitFor(() => rejected.length > 0)
    const before = stored.length
    execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited'])
    await waitFor(() => stored.length > before)
    child.kill('SIGKILL')
    await waitFor(() => child.exitCode !== null || child.signalCode !== null)

    expect(before).toBeGreaterThan(0)
    expect(rejected[0]).toMatch(/disk/)
    const kept = new Set(sql('select signature from notification').map((row) => row.signature))
    expect(stored.filter((signature) => !kept.has(signature))).toEqual([])
  })
})

describe('a transaction', () => {
  const transactions = () => sql('select count(*) as count from recent')[0]?.count

  it('has at most 1,000 puts', async () => {
    const inbox = open()
    await Promise.all(Array.from({ length: 2_500 }, (_, id) => inbox.put(createSigned(id))))
    expect(transactions()).toBe(3)
  })

  it('has at most 4 MB, or one put', async () => {
    const inbox = open()
    const bodies = [...Array(9).fill(1), 5, 1].map((size) => Buffer.alloc(size * 1024 * 1024))
    for (const [index, body] of bodies.entries()) body[0] = index
    await Promise.all(bodies.map((body) => inbox.put(signedFrom(body))))
    expect(transactions()).toBe(5)
  })

  it('has the full time limit to wait for another process', async () => {
    const database = new DatabaseSync(path)
    const blocker = new DatabaseSync(path)
    database.exec('pragma journal_mode = wal; create table entry (id integer)')
    const write = createGroupCommit(database, { mayHaveHole: false })
    let passed = 0
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + passed)
    onTestFinished(() => void vi.restoreAllMocks())
    const insert = database.prepare('insert into entry (id) values (?)')
    const writeWhileBusy = async (id: number, isReleased: boolean) => {
      blocker.exec('begin immediate')
      const written = write(() => void insert.run(id))
      await nextTurn()
      if (isReleased) blocker.exec('commit')
      else passed += 2_000
      return await written.then(
        () => 'written',
        () => 'rejected',
      )
    }
    expect(await writeWhileBusy(1, true)).toBe('written')
    passed += 2_000
    expect(await writeWhileBusy(2, true)).toBe('written')
    expect(await writeWhileBusy(3, false)).toBe('rejected')
    blocker.exec('commit')
    passed += 2_000
    expect(await writeWhileBusy(4, true)).toBe('written')
    blocker.close()
    database.close()
  })
})

describe('a worker that is idle', () => {
  it.each<[string, (inbox: Inbox) => Promise<unknown>]>([
    ['a put', (inbox) => inbox.put(createSigned(2))],
    ['a replay', (inbox) => inbox.replay('1')],
    ['a replay of all that is dead', (inbox) => inbox.replayAll({ state: 'dead' })],
  ])('is woken by %s', async (_, cause) => {
    const inbox = open({ maxAttempts: 1 })
    const consumer = createConsumer(
      () => consumer.deliveries.length === 1 && Promise.reject(new Error('down')),
    )
    await inbox.put(createSigned(1))
    // It never polls, and has a timer while it is idle.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      await inbox.start(consumer)
      await waitFor(() => consumer.deaths.length === 1 && vi.getTimerCount() === 1)
      await cause(inbox)
      await waitFor(() => consumer.deliveries.length === 2)
    } finally {
      vi.useRealTimers()
    }
  })
})

it.each(['', '-wal', '-shm'])('rejects puts once its file %j is deleted or replaced', async (ending) => {
  const inbox = open()
  await inbox.put(createSigned(1))
  renameSync(path + ending, `${path}.moved`)
  writeFileSync(path + ending, '')
  const put = () => inbox.put(createSigned(crypto.randomUUID()))
  const rejected = await waitFor(() =>
    put().then(
      () => undefined,
      (error) => error,
    ),
  )
  expect(rejected).toMatchObject({
    code: 'inbox_unavailable',
    message: expect.stringMatching(
      ending === '' ? /\.db was deleted.* restore the file/ : /-(?:wal|shm) was deleted.* Close the inbox/,
    ),
  })
  await expect(inbox.put(createSigned(1))).rejects.toMatchObject({ code: 'inbox_unavailable' })
})

it('lets the process end after close(), although a handler never ends', () => {
  const program = `
    import { createSqliteInbox } from ${JSON.stringify(new URL('../../../../adapters/inbox/sqlite/sqlite-inbox.ts', import.meta.url).href)}
    import { createSigned } from ${JSON.stringify(new URL('../../../contracts/signed-notification.ts', import.meta.url).href)}
    const inbox = createSqliteInbox({ path: ${JSON.stringify(path)}, stopTimeoutMs: 10 })
    await inbox.put(createSigned(1))
    const { promise, resolve } = Promise.withResolvers()
    await inbox.start({ handle: () => (resolve(), new Promise(() => {})), dead() {}, failed() {} })
    await promise
    await inbox.close()
    console.log('closed')
  `
  expect(run(program)).toBe('closed\n')
  expect(readdirSync(folder)).toEqual(['inbox.db'])
})

it('gets from the file that it is a copy of what was stored there since', async () => {
  const original = open()
  await original.put(createSigned(1))
  const copy = join(folder, 'copy.db')
  file.connect().exec(`vacuum into '${copy}'`)
  const restored = open({ path: copy })
  await restored.put({ ...createSigned(2), receivedAt: new Date(0) })
  await original.put(createSigned(3))
  await movePage(engineOf(original), engineOf(restored), 'waiting')
  const subjects = (await restored.list()).map(({ subject }) => subject)
  expect(subjects).toEqual(['payment:1', 'payment:2', 'payment:3'])
})
