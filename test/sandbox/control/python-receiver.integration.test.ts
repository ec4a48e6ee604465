import { execFile, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import type { Sandbox } from '../../../src/sandbox/index.ts'
import { createSandbox } from '../open-sandbox.ts'

const KIND = 'INBOUND_PAYMENT_STATUS_UPDATED'
const run = promisify(execFile)

let sandbox: Sandbox
let lines: AsyncIterator<string>
let url: string

beforeAll(async () => {
  sandbox = await createSandbox({ retryDelayMs: 10 })
  const script = fileURLToPath(new URL('receiver.py', import.meta.url))
  const python = spawn('python3', [script, sandbox.clientId], { stdio: ['ignore', 'pipe', 'inherit'] })
  lines = createInterface(python.stdout)[Symbol.asyncIterator]()
  url = `http://127.0.0.1:${(await received()).port}/`
  await curl('configurations', { event: KIND, callbackUrl: url })
  return async () => {
    python.kill()
    await sandbox.close()
  }
})

/** What the receiver says of the next request. */
async function received(): Promise<Record<string, unknown>> {
  const { value } = await lines.next()
  return JSON.parse(value as string)
}

/** Calls the control API with curl. */
async function curl(path: string, body: unknown = {}, method = 'POST') {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const { stdout } = await run('curl', ['-sS', '-X', method, `${sandbox.url}/_sandbox/${path}`, '-d', text])
  return JSON.parse(stdout)
}

it('gets a payment with every digit of its amount', async () => {
  const { deliveries } = await curl(
    'trigger',
    `{"kind":"${KIND}","data":{"amount":{"number":12345678901234567.89}}}`,
  )
  expect(deliveries).toMatchObject([{ state: 'delivered' }])
  expect(await received()).toMatchObject({ genuine: true, kind: KIND, amount: '12345678901234567.89' })
})

it('gets a kind that payhook does not know', async () => {
  await curl('trigger', { kind: 'CARD_LOST', data: {}, inline: true })
  expect(await received()).toMatchObject({
    genuine: true,
    hex: Buffer.from('{"type":"CARD_LOST","data":{}}').toString('hex'),
  })
})

it('gets bytes that are not UTF-8, with a content type of their own', async () => {
  await curl('trigger', {
    kind: KIND,
    bodyBase64: Buffer.from([0xff, 0x0a]).toString('base64'),
    contentType: 'x/y',
  })
  expect(await received()).toMatchObject({ genuine: true, hex: 'ff0a', contentType: 'x/y' })
})

it('refuses a wrong signature three times, and the check says why it fails', async () => {
  const { deliveries } = await curl('trigger', { kind: KIND, faults: { signature: 'wrong' } })
  for (let attempt = 0; attempt < 3; attempt++) expect(await received()).toMatchObject({ genuine: false })
  expect(deliveries).toMatchObject([
    { state: 'failed', attempts: [{ status: 401 }, { status: 401 }, { status: 401 }] },
  ])
  const { body, headers } = await curl(`deliveries/${deliveries[0].id}`, '', 'GET')
  const check = await curl('check-signature', { body, signature: headers['ACCESS-SIGNATURE'] })
  expect(check).toMatchObject({ valid: false, cause: 'other_client_id' })
})

it('gets the second attempt after the first was cut', async () => {
  await curl('trigger', { kind: KIND, faults: { attempts: [{ truncate: true }] } })
  expect([await received(), await received()]).toMatchObject([{ complete: false }, { genuine: true }])
})

it('gets duplicates by a fault that is set for all', async () => {
  await curl('faults', { duplicate: 1 }, 'PUT')
  await curl('trigger', { kind: KIND })
  await curl('faults', {}, 'PUT')
  const [first, second] = [await received(), await received()]
  expect(first).toEqual(second)
})

it('gets a delivery again, as it was and edited', async () => {
  const { deliveries } = await curl(
    'deliveries?state=delivered&search=12345678901234567.89&limit=1',
    '',
    'GET',
  )
  await curl(`deliveries/${deliveries[0].id}/redeliver`)
  expect(await received()).toMatchObject({ genuine: true, amount: '12345678901234567.89' })
  await curl(
    `deliveries/${deliveries[0].id}/redeliver`,
    '{"data":{"status":"Closed","amount":{"number":0.10}}}',
  )
  expect(await received()).toMatchObject({ genuine: true, status: 'Closed' })
})

it.each([
  ['payments', 'InProgress'],
  ['invoices', 'Claimed'],
])('is told of %s and their statuses', async (sort, status) => {
  if (sort === 'invoices')
    await curl('configurations', { event: 'OUTBOUND_INVOICE_STATUS_UPDATED', callbackUrl: url })
  const { id } = await curl(sort)
  await curl(`${sort}/${id}/walk`, { statuses: ['Sent', 'Closed'] })
  expect([(await received()).status, (await received()).status].sort()).toEqual(['Closed', 'Sent'])
  await curl(`${sort}/${id}/status`, { status })
  const events = [await received()]
  // The payment of an invoice is sent when the invoice is claimed, and the two come in any order.
  if (sort === 'invoices') events.push(await received())
  expect(events).toContainEqual(expect.objectContaining({ genuine: true, status }))
})

it('gets nothing after a reset', async () => {
  expect(await curl('reset')).toEqual({})
  expect(await curl('trigger', { kind: KIND })).toEqual({ deliveries: [] })
  expect(await curl('configurations', '', 'GET')).toEqual({ configurations: [] })
})
