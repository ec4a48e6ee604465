import { execFileSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFile } from '../support/temporary-folder.ts'
import { payhook } from './payhook.ts'
import { MAIN } from './payhook-process.ts'

describe('payhook completion', () => {
  it.each(['bash', 'zsh', 'fish', 'powershell'])('prints a script for %s', async (shell) => {
    const { code, stdout } = await payhook(['completion', shell])
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('payhook __complete -- ') })
  })

  it.each([
    ['payhook si', ['sign']],
    ['payhook inbox re', ['replay', 'resume', 'reconcile', 'recheck']],
    ['payhook inbox list --sta', ['--state']],
    ['payhook inbox list sqlite:a.db --state de', ['dead']],
    ['payhook send INBOUND_P', ['INBOUND_PAYMENT_STATUS_UPDATED']],
    ['payhook completion z', ['zsh']],
  ])('completes "%s"', async (line, expected) => {
    const [, ...words] = line.split(' ')
    const { stdout } = await payhook(['__complete', '--', ...words])
    expect(stdout.trim().split('\n')).toEqual(expected)
  })

  it('has bash ask it for the words', async () => {
    const command = temporaryFile('payhook', `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`)
    chmodSync(command, 0o755)
    const { stdout: script } = await payhook(['completion', 'bash'])
    const complete = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _payhook; printf '%s\\n' "\${COMPREPLY[@]}"`
    const found = execFileSync('bash', ['-c', `${script}\n${complete}`, '-', 'payhook', 'inbox', 're'], {
      encoding: 'utf8',
      env: { ...process.env, PATH: `${dirname(command)}:${process.env.PATH}` },
    })
    expect(found.trim().split('\n')).toEqual(['replay', 'resume', 'reconcile', 'recheck'])
  })
})
