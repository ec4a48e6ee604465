import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createReceiver } from '../../src/index.ts'
import { settled } from '../contracts/settled.ts'
import { signedFrom } from '../contracts/signed-notification.ts'
import { temporaryFile } from '../support/temporary-folder.ts'
import { payhook, payhookJson } from './payhook.ts'
import { openSqlite } from './test-inboxes.ts'

const KIND = 'INBOUND_PAYMENT_STATUS_UPDATED'
const ZOD = import.meta.resolve('zod')

const about = (kind: string, data: string) => signedFrom(Buffer.from(JSON.stringify({ type: kind, data })))
const payment = (fields: string) => about(KIND, `{"id":48121,"status":"Complete"${fields}}`)

const toModule = (code: string) =>
  temporaryFile('kinds.mjs', `import * as z from ${JSON.stringify(ZOD)}\n${code}`)

const recheck = (url: string, ...more: string[]) => payhookJson(['inbox', 'recheck', url, ...more])

describe('payhook inbox recheck', () => {
  it('prints what would be read differently, and changes nothing', async () => {
    const { url, inbox } = await openSqlite()
    await inbox.put(payment(',"amount":{"number":12345678901234567.89,"currency":"USD"}'))
    const stdout = [{ version: 1, checked: 1, different: 0, unknown: 0 }]
    expect(await recheck(url)).toEqual({ code: 0, stdout, stderr: [] })
    await inbox.put({ ...payment(',"statusReason":"x"'), subject: 'payment:7' })
    await inbox.put(payment(',"amount":"much"'))
    await inbox.put(about('NEW', '{}'))
    await inbox.put(about('CARD', '{"cents":"much"}'))
    const receiver = toModule('export const kinds = { CARD: z.object({ cents: z.number() }) }')
    const before = await Array.fromAsync(inbox.entries())
    const { code, stdout: lines } = await recheck(url, '--receiver', receiver)
    const message = expect.stringContaining('must be an amount')
    expect({ code, findings: lines.map(({ findings }) => findings) }).toEqual({
      code: 1,
      findings: [
        [{ what: 'subject', stored: 'payment:7', read: 'payment:48121' }],
        [{ what: 'unrecognized', issues: [{ code: 'invalid_type', path: ['amount'], message }] }],
        [{ what: 'unknownKind' }],
        [
          {
            what: 'unrecognized',
            issues: [{ code: 'invalid_type', path: ['cents'], message: expect.any(String) }],
          },
        ],
        undefined,
      ],
    })
    expect(lines.at(-1)).toEqual({ version: 1, checked: 5, different: 3, unknown: 1 })
    expect(lines[0]).toMatchObject({ id: before[1]?.id, state: 'waiting', kind: KIND, subject: 'payment:7' })
    expect(await Array.fromAsync(inbox.entries())).toEqual(before)
  })

  it('names dead entries that can be read now, and no others', async () => {
    const { url, inbox } = await openSqlite()
    const path = toModule('export const kinds = { CARD: z.strictObject({ id: z.int() }) }')
    const { kinds } = await import(pathToFileURL(path).href)
    const logger = { warn() {}, error() {} }
    const receiver = createReceiver({ clientId: 'c', inbox, kinds, callbackToken: false, logger })
    await receiver.start()
    await inbox.put(about('CARD', '{"id":1,"new":true}'))
    await inbox.put(signedFrom(Buffer.from('no JSON')))
    await settled(inbox, { dead: 2 })
    const laxer = toModule('export const kinds = { CARD: z.object({ id: z.int() }) }')
    expect(await payhook(['inbox', 'recheck', url, '--receiver', laxer])).toEqual({
      code: 1,
      stdout: '1  dead  CARD  -  can be read now: replay it\n2 checked, 1 would be read differently\n',
      stderr: '',
    })
    expect(await recheck(url, '--receiver', path)).toMatchObject({ code: 0, stdout: [{ different: 0 }] })
  })

  it('lists unknown kinds and exits 0, with its progress on a terminal', async () => {
    const { url, inbox } = await openSqlite()
    await inbox.put(about('NEW', '{}'))
    const line = '1  waiting  NEW  -  unknown kind: completes without a handler'
    expect(await payhook(['inbox', 'recheck', url], { columns: 80 })).toEqual({
      code: 0,
      stdout: `${line}\n1 checked, 0 would be read differently, 1 of an unknown kind\n`,
      stderr: expect.stringContaining('checking '),
    })
  })

  it('prints one line for an entry, whatever its sender writes', async () => {
    const { url, inbox } = await openSqlite()
    await inbox.put(about('NEW\n17  dead  OTHER', '{}'))
    const stdout = expect.stringContaining('1  waiting  NEW 17 dead OTHER  -  unknown kind')
    expect(await payhook(['inbox', 'recheck', url])).toMatchObject({ stdout })
  })

  it.each([
    ['no-such-file.mjs', 1, 'Cannot load no-such-file.mjs: '],
    ['export const other = 1', 2, 'must export kinds'],
    ['export const kinds = { A: 1 }', 2, 'must have a Standard Schema for A'],
  ])('rejects a receiver that is not a module with its kinds: %s', async (code, exitCode, message) => {
    const { url } = await openSqlite()
    const file = code.endsWith('.mjs') ? code : toModule(code)
    const outcome = await payhook(['inbox', 'recheck', url, '--receiver', file])
    expect(outcome).toMatchObject({ code: exitCode, stderr: expect.stringContaining(message) })
  })
})
