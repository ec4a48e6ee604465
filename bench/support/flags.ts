import { parseArgs } from 'node:util'

/** The flags of every benchmark. */
export interface Flags {
  /** Print JSON instead of Markdown. */
  readonly json: boolean
  /** A short run, to test that the benchmark works. Its figures are rough. */
  readonly quick: boolean
  /** Run check.ts. Only for `npm run bench`. */
  readonly check: boolean
  /** The inbox engine to measure: `sqlite`, `bullmq`, `postgres` or `all`. */
  readonly engine: string
  /** A third of the rounds. The medians are nearly as good, the ranges are wider. */
  readonly fast: boolean
  /** The number of rounds of the crash tests and of scale.ts. */
  readonly rounds: number | undefined
}

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    fast: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    engine: { type: 'string', default: 'all' },
    rounds: { type: 'string' },
  },
})
if (!['sqlite', 'bullmq', 'postgres', 'all'].includes(values.engine)) {
  throw new TypeError(`--engine must be sqlite, bullmq, postgres or all, not ${values.engine}`)
}
const rounds = values.rounds === undefined ? undefined : Number(values.rounds)
if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0)) {
  throw new TypeError('--rounds must be a positive integer')
}

export const flags: Flags = { ...values, rounds }

/** How many rounds a measurement has. */
export function roundsOf(usual: number, quick: number): number {
  if (flags.quick) return quick
  return flags.fast ? Math.min(usual, Math.max(3, Math.ceil(usual / 3))) : usual
}
