import { describe, expect, it } from 'vitest'
import { formatSyncResult, type SyncResult } from '../../../src/client/index.ts'
import { CallbackUrl } from '../../../src/client/webhooks/callback-url.ts'

const at = (href: string) => ({ callbackUrl: new CallbackUrl(href) })
const result: SyncResult = {
  created: [{ id: '9', event: 'A', ...at('https://a.example/new'), status: 'Active' }],
  updated: [
    {
      id: '8',
      event: 'B',
      ...at('https://b.example/?token=new-secret&x=1'),
      status: 'Active',
      previousCallbackUrl: new CallbackUrl('https://b.example/?x=1&token=old-secret'),
    },
  ],
  deleted: [{ id: '7', event: 'C', ...at('https://c.example/?token=gone-secret#f'), status: 'Inactive' }],
  unchanged: [{ id: '6', event: 'D', ...at('https://d.example/?token=kept-secret'), status: 'Active' }],
}
const empty: SyncResult = { created: [], updated: [], deleted: [], unchanged: [] }
const plan = (href: string, event = 'A'): SyncResult => ({ ...empty, created: [{ event, ...at(href) }] })
const linesOf = (text: string) => text.split('\n').filter((line) => /^[+~\-=]/.test(line.trim()))

describe('formatSyncResult', () => {
  it('has one line for each configuration', () => {
    expect(formatSyncResult(result).split('\n')).toEqual([
      '+ 9 A  https://a.example/new',
      '~ 8 B  https://b.example/?token=…&x=1  (was https://b.example/?x=1&token=…)',
      expect.stringMatching(/^- 7 C {2}https:\/\/c\.example\/\?token=…/),
      '= 6 D  https://d.example/?token=…',
      '1 created, 1 updated, 1 deleted, 1 unchanged',
    ])
  })

  it.each([
    'https://e.example/?a=1&token=secret',
    'https://e.example/?token=secret&token=secret-too',
    'https://e.example/?%74oken=secret',
    'https://e.example/?token=a;b=secret',
    'not a url ?token=secret',
  ])('masks the token of %s', (callbackUrl) => {
    expect(formatSyncResult(plan(callbackUrl))).not.toContain('secret')
  })

  it('keeps parameters whose name only ends in token', () => {
    expect(formatSyncResult(plan('https://e.example/token=path?mytoken=mine'))).toContain('mytoken=mine')
  })

  it('has a line for each warning', () => {
    const text = formatSyncResult({ ...result, warnings: ['plain http', 'cannot be read'] })
    expect(text).toContain('\n! plain http\n! cannot be read\n')
    expect(formatSyncResult(result)).not.toContain('!')
  })

  it('formats the result of a dry run as a plan, without ids', () => {
    expect(formatSyncResult(plan('https://a.example/'), { dryRun: true })).toBe(
      '+ A  https://a.example/\n1 to create, 0 to update, 0 to delete, 0 unchanged',
    )
  })

  it('formats a deleted configuration without details, and an empty result', () => {
    const text = formatSyncResult({ ...empty, deleted: [{ id: '7', status: 'Inactive' }] })
    expect(text).toContain('7')
    expect(text).not.toContain('undefined')
    expect(linesOf(formatSyncResult(empty))).toEqual([])
  })

  it('keeps an event or a URL with line breaks on one line', () => {
    const text = formatSyncResult(plan('https://a.example/\n- C', 'A\n+ B'))
    expect(linesOf(text)).toHaveLength(1)
  })
})
