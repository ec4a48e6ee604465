import { readdirSync, readFileSync } from 'node:fs'

const folder = new URL('../fixtures/notifications/', import.meta.url)

/** Nearly as long as an input may be, which shows what takes too long, or too deep a stack. */
export const LONG = {
  nested: `${'['.repeat(20_000)}{"\\\\":0}${']'.repeat(20_000)}`,
  zeros: `1${'0'.repeat(60_000)}1`,
  digits: '9'.repeat(60_000),
}

/** The bodies of the fixtures. */
export function fixtureBodies(): readonly Buffer[] {
  return readdirSync(folder).map((file) => readFileSync(new URL(file, folder)))
}
