import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { receiver } from '../sandbox/open-sandbox.ts'
import { dataOf } from '../sandbox/receiver-of-notifications.ts'
import { temporaryFile } from '../support/temporary-folder.ts'
import { jsonLinesOf, payhook } from './payhook.ts'

const KIND = 'INBOUND_PAYMENT_STATUS_UPDATED'

describe('payhook send', () => {
  it('signs and sends a kind with changes to its data, with all digits', async () => {
    const { url, arrivals } = await receiver()
    const data = '{"id":9223372036854775807,"status":"Sent"}'
    const { code, stdout, stderr } = await payhook(['send', KIND, '--url', url, '--data', data])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^200 {2}INBOUND_PAYMENT_STATUS_UPDATED .*\n1 sent: 1 × 200; p50 .* p99 /)
    expect(arrivals).toEqual([expect.objectContaining({ method: 'POST', genuine: true })])
    expect(JSON.parse(arrivals[0]?.body ?? '').data).toContain('"id":9223372036854775807,')
  })

  it.each([
    [
      'INBOUND_PAYMENT_STATUS_UPDATE',
      'payhook does not know the kind INBOUND_PAYMENT_STATUS_UPDATE. Did you mean INBOUND_PAYMENT_STATUS_UPDATED?',
    ],
    ['SHOP_ORDER', 'payhook does not know the kind SHOP_ORDER.'],
  ])('sends %s, and warns that it does not know it', async (kind, warning) => {
    const { url, arrivals } = await receiver()
    const { code, stderr } = await payhook(['send', kind, '--url', url, '--json', '--repeat', '2'])
    expect({ code, ...JSON.parse(stderr) }).toEqual({ code: 0, version: 1, warning })
    expect(arrivals.map(({ body }) => JSON.parse(body).type)).toEqual([kind, kind])
  })

  it.each([
    [KIND, 'id'],
    ['VIRTUAL_CARD_BALANCE_UPDATED', 'cardId'],
    ['SHOP_ORDER', 'id'],
  ])('sends another body of %s, with another %s, when it is run again', async (kind, field) => {
    const { url, arrivals } = await receiver()
    await payhook(['send', kind, '--url', url])
    await payhook(['send', kind, '--url', url])
    expect(new Set(arrivals.map((arrival) => dataOf(arrival)[field])).size).toBe(2)
  })

  it('exits 1 unless every response is a 2xx, and prints the responses', async () => {
    const { url } = await receiver((response) => response.writeHead(503).end('down\nfor now'))
    const { code, stdout, stderr } = await payhook(['send', KIND, '--url', `${url}?token=secret`])
    expect(code).toBe(1)
    expect(stdout).toMatch(/^503 .*down for now\n/)
    expect(stderr).toBe(`payhook: 1 of 1 were not accepted by ${url}.\n`)
  })

  it('exits 1 without a server, or without a response in time', async () => {
    const failed = await payhook(['send', KIND, '--url', 'http://127.0.0.1:1/'])
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining('no response (') })
    const { url } = await receiver(() => {})
    const late = await payhook(['send', KIND, '--url', url, '--timeout', '50ms'])
    expect(late).toMatchObject({ code: 1, stdout: expect.stringContaining('no response within 50 ms') })
  })

  it('sends the exact bytes of a file, and of stdin for -', async () => {
    const { url, arrivals } = await receiver()
    const file = temporaryFile('a.json', '{"type":"A"}\n')
    expect((await payhook(['send', file, '--url', url])).code).toBe(0)
    expect((await payhook(['send', '-', '--url', url], { stdin: 'as it is' })).code).toBe(0)
    expect(arrivals.map(({ body, genuine }) => [body, genuine])).toEqual([
      ['{"type":"A"}\n', true],
      ['as it is', true],
    ])
  })

  it('repeats a kind with a new id each time, and prints a line of JSON for each response', async () => {
    const { url, arrivals } = await receiver()
    const args = ['send', KIND, '--url', url, '--repeat', '3', '--rate', '1000', '--json']
    const { stdout, stderr } = await payhook(args)
    const aNumber = expect.any(Number)
    expect(jsonLinesOf({ stdout })).toEqual([
      ...Array(3).fill(expect.objectContaining({ version: 1, type: 'response', name: KIND, status: 200 })),
      { version: 1, type: 'summary', sent: 3, accepted: 3, p50Ms: aNumber, p99Ms: aNumber },
    ])
    expect(stderr).toBe('')
    expect(new Set(arrivals.map((arrival) => dataOf(arrival).id)).size).toBe(3)
  })

  it('makes each notification when it sends it, so that a long run begins at once', async () => {
    const made = vi.spyOn(Math, 'random')
    onTestFinished(() => made.mockRestore())
    let atFirst: number | undefined
    const { url } = await receiver((response) => {
      atFirst ??= made.mock.calls.length
      response.end()
    })
    await payhook(['send', KIND, '--url', url, '--repeat', '50'])
    expect(atFirst).toBeLessThan(50)
  })

  it('sends the password of a URL in a header, and does not print it', async () => {
    const { url, arrivals } = await receiver((response) => response.writeHead(401).end())
    const outcome = await payhook(['send', KIND, '--url', url.replace('//', '//user:p%40ss@')])
    expect(arrivals[0]?.headers.authorization).toBe(`Basic ${btoa('user:p@ss')}`)
    expect(`${outcome.stdout}${outcome.stderr}`).not.toContain('ss@')
    expect(outcome.code).toBe(1)
  })

  it('shows a progress bar on a terminal, but not in a pipe', async () => {
    const { url } = await receiver()
    const args = ['send', KIND, '--url', url, '--repeat', '5']
    expect((await payhook(args, { columns: 80 })).stderr).toMatch(/█+.* 5\/5/)
    expect((await payhook(args)).stderr).toBe('')
  })
})
