import { describe, expect, it } from 'vitest'
import { payhook, startPayhook } from './payhook-process.ts'

describe('payhook demo', () => {
  it('prints a row for each notification and exits 0 if all are as expected', async () => {
    const { code, stdout, stderr } = await payhook(['demo', '--once', '--json'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(rows.length).toBeGreaterThan(10)
    expect(rows).toEqual(rows.map(() => expect.objectContaining({ version: 1, asExpected: true })))
    const atOnce = rows.filter(({ scene, status }) => scene === 'at once' && status !== 'Complete')
    expect(atOnce.length).toBeGreaterThan(1)
    for (const [index, { handledMs }] of atOnce.entries())
      expect(handledMs[0]).toBeGreaterThanOrEqual(atOnce[index - 1]?.handledMs[1] ?? 0)
    expect(rows.find(({ scene }) => scene === 'crash')).toMatchObject({ timesHandled: 1, timesWritten: 1 })
  })

  it('sends another payment for Enter, and exits 130 on Ctrl-C', async () => {
    const demo = startPayhook(['demo'], { columns: 80 })
    await demo.printed(/Press Enter/)
    demo.child.stdin.write('\n')
    await demo.printed(/Press Enter.*\s+(?:.*out of order.*\s+){5}/)
    demo.child.stdin.write('\x03')
    expect(await demo.ended()).toBe(130)
  })

  it('ends without a terminal', async () => {
    const demo = startPayhook(['demo'])
    expect(await demo.ended()).toBe(0)
  })
})
