import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    /** Print JSON instead of Markdown. */
    json: { type: 'boolean', default: false },
    /** A short run, to test that the benchmark works. Its figures are rough. */
    quick: { type: 'boolean', default: false },
    /** A third of the rounds. The medians are nearly as good, the ranges are wider. */
    fast: { type: 'boolean', default: false },
    /** Run check.ts. Only for `npm run bench`. */
    check: { type: 'boolean', default: false },
    /** The inbox engine to measure: `sqlite`, `bullmq`, `postgres` or `all`. */
    engine: { type: 'string', default: 'all' },
    /** The number of rounds of the crash tests and of scale.ts. */
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

/** The flags of every benchmark. */
export const flags = { ...values, rounds }

/** How many rounds a measurement has. */
export function roundsOf(usual: number, quick: number): number {
  if (flags.quick) return quick
  return flags.fast ? Math.min(usual, Math.max(3, Math.ceil(usual / 3))) : usual
}
