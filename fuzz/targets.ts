import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What is fuzzed, as a module of `targets/` exports it. */
export interface Target {
  /** Throws if something is wrong with the code under test. */
  readonly run: (input: Buffer) => void | Promise<void>
  /** Inputs to begin with, besides those of `corpus/`. */
  readonly seeds?: () => readonly Buffer[]
}

const here = fileURLToPath(new URL('.', import.meta.url))

export const targetNames: readonly string[] = readdirSync(join(here, 'targets')).map((file) =>
  file.replace('.ts', ''),
)

export async function loadTarget(name: string): Promise<Target> {
  return await import(`./targets/${name}.ts`)
}

export const corpusOf = (name: string) => join(here, 'corpus', name)
export const findingsOf = (name: string) => join(here, 'findings', name)

/** The kept inputs of a target, by path. */
export function readCorpus(name: string): ReadonlyMap<string, Buffer> {
  const folder = corpusOf(name)
  const files = existsSync(folder) ? readdirSync(folder).map((file) => join(folder, file)) : []
  return new Map(files.map((file) => [file, readFileSync(file)]))
}
