import { describe, expect, it } from 'vitest'
import { payhook, payhookInTerminal } from './payhook-process.ts'

describe('payhook', () => {
  it('prints its help on stdout', async () => {
    const { code, stdout, stderr } = await payhook(['-h'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('PAYHOOK_CLIENT_ID')
  })

  it('exits 2 with the help on stderr if no command is given', async () => {
    const { code, stdout, stderr } = await payhook([])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('Usage: payhook')
  })

  it.each([
    [['wait'], '30s'],
    [['send'], '10s'],
    [['inbox', 'watch'], '1s'],
  ])('prints the default time of %j with its unit, as it is typed', async (args, time) => {
    expect((await payhook([...args, '-h'])).stdout).toContain(`(default: ${time})`)
  })

  it('prints the version of the package', async () => {
    const { code, stdout } = await payhook(['--version'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
  })

  it.each([
    ['an unknown command', ['sgn'], 'Did you mean sign?'],
    ['an unknown option', ['sign', '--nope', 'x'], "unknown option '--nope'"],
    ['a missing argument', ['sign'], "missing required argument 'file'"],
    ['one argument too many', ['sign', 'a', 'b'], 'too many arguments'],
    ['a wrong value', ['sandbox', '--port', 'x'], 'must be a whole number'],
    ['a missing group command', ['inbox'], 'Usage: payhook inbox'],
  ])('exits 2 for %s', async (_, args, message) => {
    const { code, stdout, stderr } = await payhook(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
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

  it('names a missing environment variable', async () => {
    const { code, stderr } = await payhook(['sign', '-'], { env: { PAYHOOK_CLIENT_ID: '' } })
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('Set PAYHOOK_CLIENT_ID') })
  })

  it('prints colors on a terminal, except with NO_COLOR', async () => {
    const args = ['sign', '/nowhere/at/all']
    expect((await payhookInTerminal(args)).output).toContain('\x1b[31mpayhook:')
    expect((await payhookInTerminal(args, { env: { NO_COLOR: '1' } })).output).not.toContain('\x1b')
  })
})
