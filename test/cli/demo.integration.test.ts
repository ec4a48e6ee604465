import { describe, expect, it } from 'vitest'
import { payhook } from './payhook.ts'
import { spawnPayhook } from './payhook-process.ts'

describe('payhook demo', () => {
  it('prints a row for each notification, and ends without a terminal if all are as expected', async () => {
    const { code, stdout, stderr } = await payhook(['demo'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/\d\d notifications in \d\d requests.*All as expected\./)
    expect(stdout).toMatch(/^crash .* written 1x$/m)
    // Of the same payment, one at a time. The last one is of another.
    const atOnce = [...stdout.matchAll(/^at once (?!.* Complete ).* from (\d+) to (\d+) ms$/gm)]
    const times = atOnce.flatMap(([, start, end]) => [Number(start), Number(end)])
    expect(times.length).toBeGreaterThan(2)
    expect(times).toEqual(times.toSorted((left, right) => left - right))
  })

  it('ends if it cannot write its files', async () => {
    const demo = spawnPayhook(['demo'], { env: { TMPDIR: import.meta.filename } })
    expect(await demo.ended()).toBe(1)
    expect(demo.stderr()).toContain('ENOTDIR')
  })

  it('ends early on Ctrl-C', async () => {
    const demo = spawnPayhook(['demo'])
    await demo.printed(/every kind/)
    expect(await demo.stop()).toBe(130)
    expect(demo.stderr()).toBe('')
    expect(demo.stdout()).not.toContain('crash ')
  })

  it('sends another payment for Enter, which is handled before the demo ends', async () => {
    const { code, stdout } = await payhook(['demo'], { columns: 80, stdin: '\n' })
    expect(code).toBe(0)
    expect(stdout).toMatch(/Press Enter.*\s+(?:.*out of order.* handled\S*\s+){5}$/)
  })

  it('exits 130 on Ctrl-C while it waits for Enter', async () => {
    const demo = spawnPayhook(['demo'], { columns: 80 })
    await demo.printed(/Press Enter/)
    demo.child.stdin.write('\x03')
    expect(await demo.ended()).toBe(130)
  })
})
