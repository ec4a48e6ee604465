import { parseArgs } from 'node:util'

/** What can be asked of every benchmark on its command line. */
export interface Flags {
  /** Print JSON instead of Markdown. */
  readonly json: boolean
  /** A short run, to see that it works; its figures are rough. */
  readonly quick: boolean
  /** Run check.ts; for `npm run bench`. */
  readonly check: boolean
  /** Of the inboxes, measure this engine only: `sqlite`, `bullmq`, `pg-boss` or `all`. */
  readonly engine: string
  /** How many rounds of killing, when it is not to be the usual number. */
  readonly rounds: number | undefined
}

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    engine: { type: 'string', default: 'all' },
    rounds: { type: 'string' },
  },
})
if (!['sqlite', 'bullmq', 'pg-boss', 'all'].includes(values.engine)) {
  throw new TypeError(`--engine must be sqlite, bullmq, pg-boss or all, and not ${values.engine}`)
}
const rounds = values.rounds === undefined ? undefined : Number(values.rounds)
if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0)) {
  throw new TypeError('--rounds must be a whole number from 1')
}

export const flags: Flags = { ...values, rounds }
