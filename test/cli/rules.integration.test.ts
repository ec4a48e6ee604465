import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { receiver } from '../sandbox/open-sandbox.ts'
import { payhook, payhookJson } from './payhook.ts'
import { MAIN, spawnedPayhook } from './payhook-process.ts'

describe('payhook', () => {
  it.each([
    ['-h', /PAYHOOK_CLIENT_ID/],
    ['help', /^Usage: payhook \[options\]/],
    ['help sign', /^Usage: payhook sign/],
    ['help inbox replay', /^Usage: payhook inbox replay/],
    // As it is typed, and with the units.
    ['wait -h', /--timeout <time> [^-]*500ms, 30s, 5m, 12h\s+or\s+7d\s+\(default: 30s\)/],
    ['--version', /^\d+\.\d+\.\d+\n$/],
  ])('prints what "%s" asks for', async (line, text) => {
    const outcome = await payhook(line.split(' '))
    expect(outcome).toEqual({ code: 0, stdout: expect.stringMatching(text), stderr: '' })
  })

  it.each(['-h', 'webhooks -h', 'inbox -h', 'check -h'])('fits 80 columns: "%s"', async (line) => {
    const { stdout } = await payhook(line.split(' '), { columns: 80 })
    // An example is one line, to be copied.
    const lines = stdout.split('\n').filter((each) => !each.startsWith('  payhook '))
    expect(lines.filter(({ length }) => length > 80)).toEqual([])
  })

  it('reports all errors as JSON with --json', async () => {
    for (const [exitCode, argument, code, message] of [
      [2, '--nope', 'usage', "unknown option '--nope'"],
      [1, '/nowhere/at/all', 'file_unreadable', 'Cannot read /nowhere/at/all: no such file.'],
    ] as const) {
      const stderr = [{ version: 1, error: { code, message } }]
      expect(await payhookJson(['sign', argument])).toEqual({ code: exitCode, stdout: [], stderr })
    }
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

  it('escapes what controls a terminal, in texts, errors and JSON', async () => {
    const hostile = '\x1b[31m\u009b31m\u202e\u2066\u3164\u{e0001}'
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
      expect(`${stdout}${stderr}`).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{DI}]/u)
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
    expect((await spawnedPayhook(args, { columns: 80 })).stdout).toContain('\x1b[31mpayhook:')
    const plain = await spawnedPayhook(args, { columns: 80, env: { NO_COLOR: '1' } })
    expect(plain.stdout).toContain('payhook:')
    expect(plain.stdout).not.toContain('\x1b')
  })
})
