import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const root = new URL('../', import.meta.url)
const page = readFileSync(new URL('docs/shop.md', root), 'utf8')
const parts = [...page.matchAll(/^```typescript\n\/\/ (\S+)\n(.*?)^```/gms)]

it('shows the code of the example, which is tested', () => {
  expect(parts.length).toBeGreaterThan(3)
  for (const [, file = '', code = ''] of parts)
    expect(readFileSync(new URL(`examples/shop/${file}`, root), 'utf8')).toContain(code)
})
