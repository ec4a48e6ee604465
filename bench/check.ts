// Short versions of the benchmarks against ceilings. A change that halves the speed of a path fails.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { verifyAndParse } from '../src/index.ts'
import { type HttpContestant, httpContestants, inboxHttpContestants } from './http/contestants.ts'
import { createRequestSource } from './http/inbox-requests.ts'
import { measureServers } from './http/measure-servers.ts'
import { createInboxContestants } from './inbox/contestants.ts'
import { type Engines, startEngines } from './inbox/engines.ts'
import { createHandlingContestants, handleAll } from './inbox/handling.ts'
import { putFor } from './inbox/put-load.ts'
import { createNotificationSource } from './support/distinct-notifications.ts'
import { inOrderOf, interleave, takeTurns } from './support/interleave.ts'
import { clientId } from './support/notification.ts'
import { printReport } from './support/report.ts'
import { compare, median } from './support/statistics.ts'
import { awkwardBodies } from './verify/awkward-bodies.ts'
import { readData } from './verify/contestants/envelope.ts'
import { floor } from './verify/contestants/floor.ts'
import { runProgram } from './verify/run-program.ts'

/** A cost, as a ratio to something measured with it, and its limits. */
interface Check {
  readonly name: string
  /** The usual ratio on an idle machine. */
  readonly usual: number
  readonly measure: () => Promise<number>
}

/** The margin for noise. A path at half its speed exceeds it. */
const ROOM = 1.5
const TRIES = 5

await using engines = await startEngines()
const checks = [
  ...verifyChecks(),
  ...startChecks(),
  ...httpChecks(),
  ...inboxChecks(engines),
  ...handlingChecks(engines),
]
const rows = []
for (const { name, usual, measure } of checks) {
  const tries: number[] = []
  const ceiling = usual * ROOM
  do {
    process.stderr.write(`${name}, try ${tries.length + 1}\n`)
    tries.push(await measure())
  } while (Math.min(...tries) > ceiling && tries.length < TRIES)
  rows.push({ name, ceiling, best: Math.min(...tries), tries: tries.length })
}
printReport([
  {
    title: 'Cost, as a ratio to a reference',
    columns: {
      path: ({ name }) => name,
      cost: ({ best }) => best.toFixed(2),
      ceiling: ({ ceiling }) => ceiling.toFixed(2),
      tries: ({ tries }) => String(tries),
      result: ({ best, ceiling }) => (best > ceiling ? '**too slow**' : 'ok'),
    },
    rows,
  },
])
if (rows.some(({ best, ceiling }) => best > ceiling)) process.exitCode = 1

function verifyChecks(): Check[] {
  const usual = [1.1, 1.22, 1.38, 1.13, 1.43]
  return awkwardBodies.map(({ name, body }, at) => ({
    name: `verify and parse over the floor: ${name}`,
    usual: usual[at] as number,
    async measure() {
      const headers = floor.sign(body)
      const signature = headers['access-signature']
      const [base, own] = await interleave(
        [
          { name: 'floor', run: () => readData(floor.open(body, headers)) },
          { name: 'payhook', run: () => verifyAndParse({ body, signature, clientId }) },
        ],
        { rounds: 41, batchMs: 4, warmUpMs: 400 },
      )
      return compare(own?.perRound ?? [], base?.perRound ?? []).median
    },
  }))
}

function startChecks(): Check[] {
  if (!existsSync(new URL('../dist/index.js', import.meta.url))) {
    console.error('dist/index.js is missing, and the start is left out: run npm run build')
    return []
  }
  const files = ['empty.js', 'stripe.js', 'payhook.js'].map((name) =>
    fileURLToPath(new URL(`verify/start-entries/${name}`, import.meta.url)),
  )
  return [
    {
      name: 'import and read one event over stripe',
      usual: 0.6,
      async measure() {
        const took = files.map((file) => ({ file, milliseconds: [] as number[] }))
        await takeTurns('starts', 7, took, async ({ file, milliseconds }) => {
          milliseconds.push(runProgram(file))
        })
        const [empty = 0, stripe = 0, own = 0] = took.map(({ milliseconds }) => Math.min(...milliseconds))
        return (own - empty) / (stripe - empty)
      },
    },
  ]
}

function httpChecks(): Check[] {
  const bare = 'payhook without an inbox'
  return [
    httpCheck(httpContestants, 'node:http, by hand', 'payhook on node:http', 1.3),
    httpCheck(httpContestants, 'Express + express.raw', 'payhook on Express', 0.95),
    httpCheck(httpContestants, 'Koa + raw-body', 'payhook on Koa', 1.15),
    httpCheck(httpContestants, 'Fastify, buffer parser', 'payhook on Fastify', 1.25),
    httpCheck(httpContestants, 'Hono on @hono/node-server', 'payhook on Hono', 1.1),
    httpCheck(inboxHttpContestants, bare, 'payhook with its SQLite inbox', 1.35),
    httpCheck(inboxHttpContestants, bare, 'payhook with its SQLite inbox and handling', 2.3),
  ]
}

/** Processor time, which does not depend on other load. */
function httpCheck(all: readonly HttpContestant[], base: string, name: string, usual: number): Check {
  return {
    name: `processor time of ${name}, over ${base}`,
    usual,
    async measure() {
      const rows = await measureServers({
        contestants: all.filter((contestant) => contestant.name === base || contestant.name === name),
        connections: 50,
        pace: { heats: 1, rounds: 4, milliseconds: 200, warmUpMs: 1_500 },
        ...(all === inboxHttpContestants && { requestsFor: createRequestSource() }),
        settle: true,
      })
      return (rows[1] as (typeof rows)[number]).cpu.median
    },
  }
}

function inboxChecks(engines: Engines): Check[] {
  const contestants = createInboxContestants(engines)
  const pairs = [
    ['node:sqlite, a transaction a turn', 'payhook SQLite', 1, 1.75],
    ['node:sqlite, a transaction a turn', 'payhook SQLite', 50, 1.45],
    [
      'BullMQ `add` with deduplication, appendfsync everysec',
      'payhook BullMQ, appendfsync everysec',
      50,
      1.05,
    ],
    ['pg-boss `insert` of gathered puts', 'payhook PostgreSQL', 50, 1.4],
  ] as const
  return pairs.flatMap(([base, name, producers, usual]): Check[] => {
    const both = [base, name].map((wanted) => contestants.find((contestant) => contestant.name === wanted))
    if (both.includes(undefined)) return []
    return [
      {
        name: `a put of ${name} over ${base}, ${producers} ${producers === 1 ? 'producer' : 'producers'}`,
        usual,
        async measure() {
          const next = createNotificationSource()
          const stores = await Promise.all(both.map(async (contestant) => await contestant?.open()))
          const results = stores.map((store) => ({ store, took: [] as number[] }))
          try {
            for (let round = -2; round < 8; round++) {
              for (const { store, took } of inOrderOf(round + 2, results)) {
                if (store === undefined) continue
                const { perSecond } = await putFor(store, producers, 200, next)
                if (round >= 0) took.push(1 / perSecond)
              }
            }
          } finally {
            for (const store of stores) await store?.close()
          }
          const [first, second] = results as [(typeof results)[number], (typeof results)[number]]
          return median(second.took) / median(first.took)
        },
      },
    ]
  })
}

function handlingChecks(engines: Engines): Check[] {
  const contestants = createHandlingContestants(engines).filter(
    ({ name, concurrency }) => name.includes('BullMQ') && concurrency === 10,
  )
  if (contestants.length === 0) return []
  return [
    {
      name: 'a notification put and handled by payhook BullMQ, over `add` with deduplication and a `Worker`',
      usual: 1.1,
      async measure() {
        const results = contestants.map((contestant) => ({ contestant, perSecond: [] as number[] }))
        await takeTurns('handling', 6, results, async ({ contestant, perSecond }) => {
          perSecond.push(await handleAll({ ...contestant, count: 1_000 }))
        })
        const [bare, own] = results.map(({ perSecond }) => perSecond)
        return compare(bare ?? [], own ?? []).median
      },
    },
  ]
}
