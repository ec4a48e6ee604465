// What receivers, workers and the server cost per notification as their numbers grow. Linux only.
import { flags } from '../support/flags.ts'
import { printReport } from '../support/report.ts'
import {
  type Cell,
  toActivityTable,
  toBothTable,
  toCellRow,
  toHandlingTable,
  toIdleTable,
  toStoringTable,
} from './cells.ts'
import { type ScaleEngine, scaleEngines } from './engines.ts'
import { measure, type Run, type Setup } from './measure.ts'
import { measurePruning, type PruningRow, toPruningTable } from './pruning.ts'
import { measureSizes, type SizeRow, toSizeTable } from './sizes.ts'

const ROUNDS = flags.rounds ?? (flags.quick ? 1 : 3)
const pace = flags.quick ? { warmUpMs: 500, milliseconds: 1_000 } : { warmUpMs: 1_000, milliseconds: 3_000 }
const IDLE_MS = flags.quick ? 2_000 : 15_000
/** More than all workers handle while they start, warm up and are measured. */
const BACKLOGS = flags.quick ? { bullmq: 40_000, postgres: 30_000 } : { bullmq: 150_000, postgres: 100_000 }

type Kind = 'storing' | 'handling' | 'both' | 'idle'
type Planned = Setup & { readonly kind: Kind }
type Measured = Cell & { readonly kind: Kind; readonly setup: Setup; readonly runs: Run[] }

const storing = [1, 2, 4].map((receivers): Planned => {
  return { kind: 'storing', receivers, workers: 0, rate: 'most', ...pace }
})
const handling = [1, 2, 4, 8].map((workers): Planned => {
  return { kind: 'handling', receivers: 0, workers, ...pace }
})
const steady = [200, 1_000].map((rate): Planned => {
  return { kind: 'both', receivers: 1, workers: 1, rate, ...pace }
})
const both = [...steady, { ...(steady[1] as Planned), receivers: 2, workers: 4 }].concat(
  [1, 2].map((number) => {
    return { kind: 'both', receivers: number, workers: number * 2, rate: 'most', ...pace }
  }),
)
const idle = [0, 8].map((workers): Planned => {
  return { kind: 'idle', receivers: 0, workers, warmUpMs: 2_000, milliseconds: IDLE_MS }
})

const measured = scaleEngines
  .filter(({ engine }) => flags.engine === 'all' || flags.engine === engine)
  .map((engine) => {
    const planned = engine.onlyStores ? storing : [...storing, ...handling, ...both, ...idle]
    const cells = planned.map(({ kind, ...rest }): Measured => {
      const setup = kind === 'handling' ? { ...rest, backlog: BACKLOGS[engine.engine] } : rest
      return { kind, setup, name: engine.name, ...setup, runs: [] }
    })
    return { engine, cells }
  })
const sizes: SizeRow[] = []
const pruning: PruningRow[] = []
for (let round = 0; round < ROUNDS; round++) {
  for (const { engine, cells } of measured) await runRound(engine, cells, round)
}
process.stderr.write('\n')

const rowsOf = (kind: Kind) =>
  measured.flatMap(({ cells }) => cells.filter((cell) => cell.kind === kind).map(toCellRow))
printReport([
  toStoringTable(rowsOf('storing')),
  toHandlingTable(rowsOf('handling')),
  toBothTable(rowsOf('both')),
  toIdleTable(rowsOf('idle')),
  toSizeTable(sizes),
  toPruningTable(pruning),
  toActivityTable([...rowsOf('storing'), ...rowsOf('handling'), ...rowsOf('both')]),
])

async function runRound(engine: ScaleEngine, cells: readonly Measured[], round: number): Promise<void> {
  await using server = await engine.start()
  if (round === 0) {
    sizes.push(await measureSizes(engine, server))
    pruning.push(...(await measurePruning(server)))
  }
  // What is idle takes long, and hardly varies.
  for (const { kind, setup, runs } of cells.filter((cell) => round === 0 || cell.kind !== 'idle')) {
    const { receivers, workers, rate = 'no' } = setup
    process.stderr.write(
      `round ${round + 1} of ${ROUNDS}, ${engine.name}, ${kind}: ${receivers} receivers, ${workers} workers, ${rate} requests\n`,
    )
    await server.clear()
    runs.push(await measure(server, setup))
  }
}
