import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const canPreload = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0

describe.skipIf(!canPreload)('a disk that fails to write', () => {
  let folder: string
  let library: string

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'payhook-disk-'))
    library = join(folder, 'lossy-disk.so')
    const source = new URL('./lossy-disk.c', import.meta.url).pathname
    execFileSync('cc', ['-shared', '-fPIC', '-o', library, source])
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  /** Makes syncs fail from a given number on, and cuts the power after some puts. */
  async function run({ puts = 60, bytes = 20_000, readUntil = 0, fails = 0, failures = 1 }) {
    const live = mkdtempSync(join(folder, 'live-'))
    const image = mkdtempSync(join(folder, 'image-'))
    const env = {
      ...process.env,
      LD_PRELOAD: library,
      LOSSY_FOLDER: live,
      LOSSY_IMAGE: image,
      LOSSY_FAILS: String(fails),
      LOSSY_FAILURES: String(failures),
    }
    const script = new URL('./lossy-disk-process.ts', import.meta.url).pathname
    const args = [script, join(live, 'inbox.db'), ...[puts, bytes, readUntil].map(String)]
    const told = await new Promise<string>((resolve) => {
      execFile(process.execPath, args, { env }, (_, stdout) => resolve(stdout))
    })
    const ids = (result: string) =>
      [...told.matchAll(/(\w+) (\w+)\n/g)].flatMap(([, word, id]) => (word === result ? [id] : []))
    const [stored, rejected] = [ids('stored'), ids('rejected')]
    expect(stored.length + rejected.length).toBe(puts)

    const disk = new DatabaseSync(join(image, 'inbox.db'))
    const kept = disk.prepare('select signature from notification').all()
    const known = new Set(kept.map((row) => row.signature))
    expect(stored.filter((id) => !known.has(id))).toEqual([])
    expect(disk.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
    disk.close()
    return { rejected: rejected.length }
  }

  // With the larger bodies, SQLite checkpoints its log about every 30 puts.
  it.concurrent.each([
    { fails: 10 },
    { fails: 40 },
    { fails: 20, failures: 4 },
    { fails: 50, failures: 8 },
    { bytes: 100_000, puts: 25, fails: 22 },
    { bytes: 100_000, puts: 34, fails: 34 },
    { bytes: 100_000, puts: 34, fails: 35 },
    { bytes: 100_000, puts: 34, fails: 36 },
  ])('loses no acknowledged notification when the power is cut: %j', async (plan) => {
    expect((await run(plan)).rejected).toBeLessThanOrEqual(plan.failures ?? 1)
  })

  it.concurrent('makes puts reject until a checkpoint succeeds', async () => {
    expect(await run({ puts: 12, fails: 10, readUntil: 3 })).toEqual({ rejected: 3 })
  })

  it('makes the health fail while it is full', () => {
    const live = mkdtempSync(join(folder, 'live-'))
    const image = mkdtempSync(join(folder, 'image-'))
    const full = join(folder, 'full')
    const url = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)
    const program = `
      import { rmSync, writeFileSync } from 'node:fs'
      import { createSqliteInbox } from ${url('../../../../adapters/inbox/sqlite/sqlite-inbox.ts')}
      import { createSigned } from ${url('../../../contracts/signed-notification.ts')}
      const inbox = createSqliteInbox({ path: ${JSON.stringify(join(live, 'inbox.db'))} })
      let id = 0
      const put = () => inbox.put(createSigned(id++)).catch(({ code }) => code)
      const tell = async () => console.log(await put(), (await inbox.health()).status)
      await tell()
      writeFileSync(process.env.LOSSY_FULL, '')
      await tell()
      rmSync(process.env.LOSSY_FULL)
      await tell()
    `
    const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
      encoding: 'utf8',
      env: {
        ...process.env,
        LD_PRELOAD: library,
        LOSSY_FOLDER: live,
        LOSSY_IMAGE: image,
        LOSSY_FULL: full,
        LOSSY_FAILS: '0',
        LOSSY_FAILURES: '0',
      },
    })
    expect(output).toBe('stored pass\ninbox_unavailable fail\nstored pass\n')
  })
})
