import { readFileSync } from 'node:fs'
import { request as openRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import type { WebhookEvent } from '../src/index.ts'
import type { Outcome } from './outcomes.ts'

const folder = new URL('../fixtures/', import.meta.url)

/** What came of one fixture. */
export interface Delivery {
  readonly name: string
  readonly kind: string
  readonly id?: string | undefined
  readonly status?: string | undefined
  readonly amount?: string | undefined
  /** HTTP status of the answer. */
  readonly answer: number
  /** `handled`, `unrecognized`, `dead` with the code of the reason, or the code with which it was refused. */
  readonly verdict: string
  /** Whether fixtures/cases.json says so too. */
  readonly asExpected: boolean
}

interface FixtureCase {
  readonly name: string
  readonly file: string
  readonly expect: { readonly type?: string; readonly code?: string }
}

type Signature = string | string[] | null

/**
 * Delivers every fixture, one after the other, with the signature that another program computed, and waits for what
 * becomes of it.
 */
export async function* deliverFixtures(
  url: string,
  outcomeOf: (deliveryId: string) => Promise<Outcome>,
): AsyncGenerator<Delivery> {
  const signatures = readJson<Record<string, Signature>>('signatures.json')
  for (const { name, file, expect } of readJson<FixtureCase[]>('cases.json')) {
    const { status: answer, code } = await post(
      url,
      readFileSync(new URL(file, folder)),
      signatures[name] ?? null,
    )
    const outcome = code === undefined ? await outcomeOf(String(signatures[name])) : undefined
    const event = outcome !== undefined && 'event' in outcome ? outcome.event : undefined
    const found =
      code ?? (outcome !== undefined && 'deadCode' in outcome ? outcome.deadCode : toVerdict(event?.type))
    yield {
      name,
      ...describe(event),
      answer,
      verdict: code === undefined && event === undefined ? `dead: ${found}` : found,
      asExpected: found === (expect.code ?? toVerdict(expect.type)),
    }
  }
}

/** The client ids that the fixtures are signed with. */
export function readClients(): { default: string; second: string } {
  return readJson('clients.json')
}

/** A fixture to send by hand. */
export function readCurlCase(): { file: string; signature: Signature } {
  const name = 'outbound-payment-stringified'
  const found = readJson<FixtureCase[]>('cases.json').find((one) => one.name === name)
  return {
    file: `fixtures/${found?.file}`,
    signature: readJson<Record<string, Signature>>('signatures.json')[name] ?? '',
  }
}

function toVerdict(type: string | undefined): string {
  return type === 'UNRECOGNIZED' ? 'unrecognized' : 'handled'
}

function describe(event: WebhookEvent | undefined): Pick<Delivery, 'kind' | 'id' | 'status' | 'amount'> {
  if (event === undefined) return { kind: '' }
  const kind = event.type === 'UNRECOGNIZED' ? event.kind : event.type
  const { id, status, amount } = (event.data ?? {}) as Record<string, unknown>
  const { number, currency } = (amount ?? {}) as Record<string, unknown>
  return {
    kind,
    id: id === undefined ? undefined : String(id),
    status: typeof status === 'string' ? status : undefined,
    amount: number === undefined ? undefined : [number, currency].join(' ').trim(),
  }
}

async function post(
  url: string,
  body: Buffer,
  signature: Signature,
): Promise<{ status: number; code?: string }> {
  const request = openRequest(url, {
    method: 'POST',
    agent: false,
    headers: {
      'content-type': 'application/json',
      ...(signature === null ? {} : { 'access-signature': onWire(signature) }),
    },
  })
  request.end(body)
  return await new Promise((resolve, reject) => {
    request.on('error', reject)
    request.on('response', async (response) => {
      resolve({ status: response.statusCode ?? 0, code: JSON.parse(await text(response)).code })
    })
  })
}

/** Characters beyond Latin-1 travel as their UTF-8 bytes, as any other program would send them. */
function onWire(signature: string | string[]): string | string[] {
  return Array.isArray(signature) ? signature : Buffer.from(signature, 'utf8').toString('latin1')
}

function readJson<Content>(file: string): Content {
  return JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
}
