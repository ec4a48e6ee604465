import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = new URL('../', import.meta.url)

function read(path: string): string {
  return readFileSync(new URL(path, root), 'utf8')
}

it('explains every code, and no other, under a heading of its own', () => {
  const errors = [...read('src/errors.ts').matchAll(/\b([a-z]+(?:_[a-z\d]+)*): \d{3}\b/g)]
  const receiver = readdirSync(fileURLToPath(new URL('src/receiver', root)))
    .map((file) => read(`src/receiver/${file}`))
    .join('\n')
  const warnings = [...receiver.matchAll(/hooks\.warn\(\s*'(\w+)'|hooks\.note\([^{]*\{ code: '(\w+)'/g)]
  const others = [
    'adapters/inbox/bullmq/bullmq-inbox.ts',
    'adapters/inbox/postgres/worker-row.ts',
    'adapters/http/mounting.ts',
    'src/console/node-listener.ts',
  ].map(read)
  const ofProcess = [...others.join().matchAll(/PayhookWarning', code: '(\w+)'|respondFailed\(.*?, '(\w+)'/g)]
  const codes = [...errors, ...warnings, ...ofProcess].map(([, error, note]) => error ?? note)
  expect(codes).toContain('network_timeout')
  expect(codes).toContain('concurrency_key_invalid')
  expect(codes).toContain('not_durable')
  expect(codes).toContain('adapter_misplaced')

  const headings = [...read('docs/errors.md').matchAll(/^### (.*)$/gm)].map(([, heading]) => heading)
  expect(headings.toSorted()).toEqual(codes.toSorted())
})
