import { parseArgs } from 'node:util'

/** What can be asked of every benchmark on its command line. */
export interface Flags {
  /** Print JSON instead of Markdown. */
  readonly json: boolean
  /** A short run, to see that it works; its figures are rough. */
  readonly quick: boolean
}

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, quick: { type: 'boolean', default: false } },
})

export const flags: Flags = values
