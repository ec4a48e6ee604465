import { describe, expect, it } from 'vitest'
import { formatSyncResult, type SyncResult } from '../../../src/client/index.ts'
import { CallbackUrl } from '../../../src/client/webhooks/callback-url.ts'

const result: SyncResult = {
  created: [{ id: '9', event: 'A', callbackUrl: new CallbackUrl('https://a.example/new'), status: 'Active' }],
  updated: [
    {
      id: '8',
      event: 'B',
      callbackUrl: new CallbackUrl('https://b.example/?token=new-secret&x=1'),
      status: 'Active',
      previousCallbackUrl: new CallbackUrl('https://b.example/?x=1&token=old-secret'),
    },
  ],
  deleted: [
    {
      id: '7',
      event: 'C',
      callbackUrl: new CallbackUrl('https://c.example/?token=gone-secret#f'),
      status: 'Inactive',
    },
  ],
  unchanged: [
    {
      id: '6',
      event: 'D',
      callbackUrl: new CallbackUrl('https://d.example/?token=kept-secret'),
      status: 'Active',
    },
  ],
}
const empty: SyncResult = { created: [], updated: [], deleted: [], unchanged: [] }
const linesOf = (text: string) => text.split('\n').filter((line) => /^[+~\-=]/.test(line.trim()))

describe('formatSyncResult', () => {
  it('has one line for each configuration', () => {
    const lines = linesOf(formatSyncResult(result))
    expect(lines).toHaveLength(4)
    expect(lines.map((line) => line.trim()[0]).sort()).toEqual(['+', '-', '=', '~'])
    for (const [sign, ...parts] of [
      ['+', '9', 'A', 'https://a.example/new'],
      ['~', '8', 'B', 'https://b.example/'],
      ['-', '7', 'C', 'https://c.example/'],
      ['=', '6', 'D', 'https://d.example/'],
    ]) {
      const line = lines.find((each) => each.trim().startsWith(String(sign)))
      for (const part of parts) expect(line).toContain(part)
    }
  })

  it.each([false, true])('shows no callback token, in a dry run: %s', (dryRun) => {
    const text = formatSyncResult(result, { dryRun })
    expect(text).not.toContain('secret')
    expect(text).toContain('x=1')
  })

  it.each([
    'https://e.example/?token=secret',
    'https://e.example/?a=1&token=secret',
    'https://e.example/?token=secret&token=secret-too',
    'https://e.example/?%74oken=secret',
    'https://e.example/?token=a;b=secret',
    'https://e.example/?token=%73ecret',
    '?token=secret',
    'not a url ?token=secret',
  ])('masks the token of %s', (callbackUrl) => {
    const text = formatSyncResult({
      ...empty,
      created: [{ event: 'A', callbackUrl: new CallbackUrl(callbackUrl) }],
    })
    expect(text).not.toMatch(/secret|%73ecret/)
  })

  it('keeps parameters whose name only ends in token', () => {
    const callbackUrl = 'https://e.example/token=path?mytoken=mine'
    expect(
      formatSyncResult({ ...empty, created: [{ event: 'A', callbackUrl: new CallbackUrl(callbackUrl) }] }),
    ).toContain('mytoken=mine')
  })

  it('has a line for each warning', () => {
    const text = formatSyncResult({ ...result, warnings: ['plain http', 'cannot be read'] })
    expect(text.split('\n').filter((line) => line.startsWith('! '))).toEqual([
      '! plain http',
      '! cannot be read',
    ])
    expect(linesOf(text)).toHaveLength(4)
    expect(formatSyncResult(result)).not.toContain('!')
  })

  it('formats the result of a dry run as a plan, without ids', () => {
    const plan = { ...empty, created: [{ event: 'A', callbackUrl: new CallbackUrl('https://a.example/') }] }
    expect(linesOf(formatSyncResult(plan, { dryRun: true }))).toHaveLength(1)
    expect(formatSyncResult(plan, { dryRun: true })).not.toContain('undefined')
    expect(formatSyncResult(plan, { dryRun: true })).not.toBe(formatSyncResult(plan))
  })

  it('formats a deleted configuration without details, and an empty result', () => {
    const text = formatSyncResult({ ...empty, deleted: [{ id: '7', status: 'Inactive' }] })
    expect(text).toContain('7')
    expect(text).not.toContain('undefined')
    expect(linesOf(formatSyncResult(empty))).toEqual([])
  })

  it('keeps an event or a URL with line breaks on one line', () => {
    const text = formatSyncResult({
      ...empty,
      created: [{ event: 'A\n+ B', callbackUrl: new CallbackUrl('https://a.example/\n- C') }],
    })
    expect(linesOf(text)).toHaveLength(1)
  })
})
