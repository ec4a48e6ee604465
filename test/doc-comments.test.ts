import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const root = new URL('../', import.meta.url)
const examples = globSync('{src,adapters}/**/*.ts', { cwd: root }).flatMap((file) => {
  const text = readFileSync(new URL(file, root), 'utf8').replace(/^ *\* ?/gm, '')
  return [...text.matchAll(/^@example\n(.*?)^(?:@|\/$)/gms)].map(([, code = '']) => code)
})

const findAll = (pattern: RegExp) => examples.flatMap((code) => code.match(pattern) ?? [])

it('has handlers that only print: what acts needs to read what is true now', () => {
  const handlers = findAll(/(?<=\.on\('[A-Z_]+', ).*/gs)
  expect(handlers.length).toBeGreaterThan(2)
  for (const handler of handlers) expect(handler.match(/[\w.]+(?=\(\w)/g)?.[0], handler).toBe('console.log')
})

it('verifies requests with the callback token, as the client id is not secret', () => {
  const calls = findAll(/(?:verifyWebhook|createReceiver)\(\{.*?\}/gs)
  expect(calls.length).toBeGreaterThan(7)
  for (const call of calls) expect(call).toContain('callbackToken')
})

it('has transactions that fail if a handler ignored the error of a statement', () => {
  const transactions = findAll(/(?<=transaction: ).*/gs).filter((code) => code.includes('db.'))
  expect(transactions).toHaveLength(2)
  for (const code of transactions) expect(code).toContain("await tx.query('select 1')")
})
