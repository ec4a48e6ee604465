import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseBusy, parseStat, processorTimeOf } from '../../bench/support/processor-time.ts'

it('reads the times of a process, whatever its name', () => {
  const name = 'a) S 1 (b 2 3'
  const stat = `4711 (${name}) S 1 4711 4711 0 -1 4194304 1613 2 0 0 120 34 5 6 20 0 11 0 1234 5678 910`
  expect(parseStat(stat)).toEqual({ own: 154, ended: 11 })
})

it('counts all ticks of the processors except idle ones and those that wait for a disk', () => {
  expect(parseBusy('cpu  100 1 20 9000 500 3 4 5 0 0\ncpu0 50 0 10 4500 250 1 2 2 0 0\n')).toBe(133)
})

describe.runIf(process.platform === 'linux')('on Linux', () => {
  it('includes the processes that a process has started, also after they have ended', async () => {
    const spin = 'while (process.cpuUsage().user < 100_000);'
    const start = `require('node:child_process').spawnSync(process.execPath, ['-e', '${spin}'])`
    const child = spawn(process.execPath, ['-e', `${start}; console.log('done'); process.stdin.resume()`])
    await once(child.stdout, 'data')
    const own = parseStat(readFileSync(`/proc/${child.pid}/stat`, 'latin1'))
    expect(own.ended).toBeGreaterThanOrEqual(9)
    expect(processorTimeOf(child.pid as number)).toBeGreaterThanOrEqual(90)
    expect(processorTimeOf(process.pid)).toBeGreaterThanOrEqual(processorTimeOf(child.pid as number))
    child.kill()
    await once(child, 'exit')
  })
})
