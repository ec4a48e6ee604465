import { readdirSync, readFileSync } from 'node:fs'

const folder = new URL('../fixtures/notifications/', import.meta.url)

/** The bodies of the fixtures. */
export function fixtureBodies(): readonly Buffer[] {
  return readdirSync(folder).map((file) => readFileSync(new URL(file, folder)))
}
