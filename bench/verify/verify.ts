import { verify, verifyAndParse } from '../../src/index.ts'
import { flags, roundsOf } from '../support/flags.ts'
import { type Contestant, interleave, type Pace, type Timing } from '../support/interleave.ts'
import { clientId, notification } from '../support/notification.ts'
import { emphasize, printReport, type Table, toRange } from '../support/report.ts'
import { compare, type Summary } from '../support/statistics.ts'
import { type AwkwardBody, awkwardBodies, linearityBodies } from './awkward-bodies.ts'
import { type Headers, readData, type Scheme } from './contestants/envelope.ts'
import { floor } from './contestants/floor.ts'
import { octokit } from './contestants/octokit.ts'
import { standardWebhooks } from './contestants/standard-webhooks.ts'
import { stripe } from './contestants/stripe.ts'
import { svix } from './contestants/svix.ts'
import { webCrypto } from './contestants/web-crypto.ts'
import { type Provable, prove } from './prove.ts'

const pace: Pace = flags.quick
  ? { rounds: 5, batchMs: 5, warmUpMs: 100 }
  : { rounds: roundsOf(61, 5), batchMs: 20, warmUpMs: 1000 }
const largePace: Pace = flags.quick
  ? { rounds: 3, batchMs: 5, warmUpMs: 20 }
  : { rounds: roundsOf(21, 3), batchMs: 20, warmUpMs: 250 }

printReport([
  await measureContestants(),
  await measureBodies('Bodies made to be awkward', awkwardBodies, pace),
  await measureBodies('As the body grows', linearityBodies(flags.quick ? 1e5 : 1e6), largePace),
])

async function measureContestants(): Promise<Table<Row>> {
  const signature = floor.sign(notification)['access-signature']
  const contestants: (Provable & { target?: string })[] = [
    { name: 'floor', read: signed(floor, (body, headers) => readData(floor.open(body, headers))) },
    {
      name: 'payhook `verifyAndParse`',
      read: (body) => verifyAndParse({ body, signature, clientId }),
      target: '≤ 1.10, aim 1.00',
    },
    { name: 'payhook `verify` alone', read: (body) => verify({ body, signature, clientId }) },
    { name: 'stripe `constructEvent`, one parse', read: signed(stripe, stripe.open) },
    {
      name: 'stripe `constructEvent`, with the second parse',
      read: signed(stripe, (body, headers) => readData(stripe.open(body, headers))),
    },
    { name: '@octokit/webhooks-methods `verify`, one parse', read: signed(octokit, octokit.open) },
    {
      name: '@octokit/webhooks-methods `verify`, two parses',
      read: signed(octokit, async (body, headers) => readData(await octokit.open(body, headers))),
    },
    {
      name: 'standardwebhooks, two parses',
      read: signed(standardWebhooks, (body, headers) => readData(standardWebhooks.open(body, headers))),
    },
    { name: 'svix, two parses', read: signed(svix, (body, headers) => readData(svix.open(body, headers))) },
    {
      name: 'WebCrypto `subtle.verify`, two parses',
      read: signed(webCrypto, async (body, headers) => readData(await webCrypto.open(body, headers))),
    },
  ]
  for (const contestant of contestants) await prove(contestant)
  const runs = contestants.map(({ name, read }) => ({ name, run: () => read(notification) }))
  const timings = await interleave(runs, pace)
  return {
    title: `Verify, parse and validate, per notification (${notification.length} bytes)`,
    columns: {
      contestant: ({ name }: Row) => emphasize(name),
      ratio: ({ ratio }) => ratio.median.toFixed(2),
      'middle half of the rounds': ({ ratio }) => toRange(ratio),
      µs: ({ nanoseconds }) => (nanoseconds / 1000).toFixed(2),
      target: ({ target }) => target ?? '',
    },
    rows: timings.map((timing, at) => ({
      name: timing.name,
      ratio: compare(timing.perRound, (timings[0] as Timing).perRound),
      nanoseconds: timing.nanoseconds,
      target: contestants[at]?.target,
    })),
  }
}

interface Row {
  readonly name: string
  readonly ratio: Summary
  readonly nanoseconds: number
  readonly target: string | undefined
}

function signed(
  scheme: Pick<Scheme, 'sign'>,
  read: (body: Buffer, headers: Headers) => unknown,
): (body: Buffer) => unknown {
  const headers = scheme.sign(notification)
  return (body) => read(body, headers)
}

/** payhook and the floor, on every body. */
async function measureBodies(
  title: string,
  bodies: readonly AwkwardBody[],
  pace: Pace,
): Promise<Table<BodyRow>> {
  const contestants = bodies.flatMap(({ name, body }): Contestant[] => {
    const headers = floor.sign(body)
    const signature = headers['access-signature']
    if (verifyAndParse({ body, signature, clientId }).type === 'UNRECOGNIZED') {
      throw new Error(`payhook does not recognize the body "${name}"`)
    }
    return [
      { name: `floor: ${name}`, run: () => readData(floor.open(body, headers)) },
      { name: `payhook: ${name}`, run: () => verifyAndParse({ body, signature, clientId }) },
    ]
  })
  const timings = await interleave(contestants, pace)
  return {
    title,
    columns: {
      body: ({ name }: BodyRow) => name,
      bytes: ({ bytes }) => String(bytes),
      'floor, ns a byte': ({ floor, bytes }) => (floor / bytes).toFixed(2),
      'payhook, ns a byte': ({ payhook, bytes }) => (payhook / bytes).toFixed(2),
      ratio: ({ ratio }) => ratio.median.toFixed(2),
      'middle half of the rounds': ({ ratio }) => toRange(ratio),
    },
    rows: bodies.map(({ name, body }, at) => {
      const base = timings[2 * at] as Timing
      const ours = timings[2 * at + 1] as Timing
      return {
        name,
        bytes: body.length,
        floor: base.nanoseconds,
        payhook: ours.nanoseconds,
        ratio: compare(ours.perRound, base.perRound),
      }
    }),
  }
}

interface BodyRow {
  readonly name: string
  readonly bytes: number
  /** In nanoseconds. */
  readonly floor: number
  /** In nanoseconds. */
  readonly payhook: number
  readonly ratio: Summary
}
