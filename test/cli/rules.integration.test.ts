import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { receiver } from '../sandbox/open-sandbox.ts'
import { payhook } from './payhook.ts'
import { MAIN, payhookInTerminal, spawnedPayhook } from './payhook-process.ts'

describe('payhook', () => {
  it('prints its help on stdout', async () => {
    const { code, stdout, stderr } = await payhook(['-h'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('PAYHOOK_CLIENT_ID')
  })

  it.each([
    [['help'], 'Usage: payhook [options]'],
    [['help', 'sign'], 'Usage: payhook sign'],
    [['help', 'inbox', 'replay'], 'Usage: payhook inbox replay'],
  ])('prints a help with %j', async (args, usage) => {
    expect(await payhook(args)).toEqual({ code: 0, stdout: expect.stringContaining(usage), stderr: '' })
  })

  it.each([
    [['wait'], '30s'],
    [['send'], '10s'],
  ])('prints the default time of %j with its unit, as it is typed', async (args, time) => {
    expect((await payhook([...args, '-h'])).stdout).toContain(`(default: ${time})`)
  })

  it('prints the version of the package', async () => {
    const { code, stdout } = await payhook(['--version'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
  })

  it('reports all errors as JSON with --json', async () => {
    const usage = await payhook(['sign', '--json', '--nope', 'x'])
    expect({ code: usage.code, stdout: usage.stdout, error: JSON.parse(usage.stderr) }).toEqual({
      code: 2,
      stdout: '',
      error: { version: 1, error: { code: 'usage', message: "unknown option '--nope'" } },
    })
    const failure = await payhook(['sign', '--json', '/nowhere/at/all'])
    expect({ code: failure.code, error: JSON.parse(failure.stderr) }).toEqual({
      code: 1,
      error: {
        version: 1,
        error: { code: 'file_unreadable', message: 'Cannot read /nowhere/at/all: no such file.' },
      },
    })
  })

  it('says that Node is too old, in a file that an old Node can read', async () => {
    const old = `Object.defineProperty(process.versions,'node',{value:'20.9.0'})`
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${old}` }
    expect(await spawnedPayhook(['sign', '-'], { env })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'payhook: This is Node 20.9.0. payhook requires Node 22 or newer.\n',
    })
    expect(readFileSync(MAIN, 'utf8')).not.toMatch(/^import\s*[^(]|await|\?\?|\?\./m)
  })

  it.each([
    [['wait', '--timeout'], '--timeout'],
    [['walk', 'payment', '--interval'], '--interval'],
    [['inbox', 'prune', 'sqlite:x.db', '--yes', '--older-than'], '--older-than'],
  ])('exits 2 for %j without a unit, and lists the units in the help', async (args, flag) => {
    const { code, stderr } = await payhook([...args, '30'])
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('a time with a unit') })
    const { stdout } = await payhook([...args.filter((word) => word !== flag), '-h'])
    expect(stdout.replace(/\s+/g, ' ')).toMatch(new RegExp(`${flag} <time> [^-]*500ms, 30s, 5m, 12h or 7d`))
  })

  it('escapes what controls a terminal, in texts, errors and JSON', async () => {
    const hostile = '\x1b[31m\u009b31m\u202e\u2066\u{e0001}'
    const service = await receiver((response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ access_token: 'a', token_type: 'bearer', expires_in: 60, name: hostile }))
    })
    const env = { PAYHOOK_BASE_URL: new URL(service.url).origin, PAYHOOK_CLIENT_SECRET: 'secret' }
    for (const args of [
      ['hello'],
      ['hello', '--json'],
      ['sign', hostile],
      ['sign', '--json', hostile],
      [hostile],
    ]) {
      const { stdout, stderr } = await payhook(args, { env })
      expect(`${stdout}${stderr}`).toMatch(/u001b|\\u001b/)
      expect(`${stdout}${stderr}`).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u)
    }
    const { stdout } = await payhook(['hello', '--json'], { env })
    expect(JSON.parse(stdout).response.name).toBe(hostile)
  })

  it('says in one line that its output cannot be written', async () => {
    const command = `'${process.execPath}' '${MAIN}' sign - > /dev/full`
    const child = spawnSync('sh', ['-c', command], {
      env: { ...process.env, PAYHOOK_CLIENT_ID: 'id' },
      input: '{}',
    })
    expect(child.status).toBe(1)
    expect(String(child.stderr)).toMatch(/^payhook: ENOSPC.*\n$/)
  })

  it('prints colors on a terminal, except with NO_COLOR', async () => {
    const args = ['sign', '/nowhere/at/all']
    expect((await payhookInTerminal(args)).output).toContain('\x1b[31mpayhook:')
    expect((await payhookInTerminal(args, { env: { NO_COLOR: '1' } })).output).not.toContain('\x1b')
  })
})
