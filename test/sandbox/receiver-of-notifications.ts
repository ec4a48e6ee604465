import { createHmac } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect } from 'vitest'
import { parse } from '../../src/index.ts'
import { listen } from '../contracts/listen.ts'
import { serviceApi } from '../openapi/documents.ts'

export interface Arrival {
  method: string | undefined
  path: string | undefined
  headers: IncomingMessage['headers']
  rawHeaders: string[]
  body: string
  /** Whether the signature of the exact bytes is right. */
  genuine: boolean
}

export interface ReceiverOfNotifications {
  url: string
  port: number
  arrivals: Arrival[]
  close(): Promise<unknown>
}

/** The stringified data of an event that was received. */
export const dataOf = ({ body }: { readonly body: string }) => JSON.parse(JSON.parse(body).data)

type Answer = (response: ServerResponse, arrival: Arrival, count: number) => void

const CLIENT_ID = 'sandbox-client-id'

/**
 * A real server that records requests and responds 200 by default. When it is closed, every event that it got
 * must have been as the OpenAPI document says.
 */
export async function openReceiver(
  answer: Answer = (response) => response.writeHead(200).end(),
): Promise<ReceiverOfNotifications> {
  const arrivals: Arrival[] = []
  const violations = new Set<string>()
  const { port, close } = await listen((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    // A truncated body never ends.
    request.on('error', () => {})
    request.on('end', () => {
      const bytes = Buffer.concat(chunks)
      const { method, url: path, headers, rawHeaders } = request
      const expected = createHmac('sha256', CLIENT_ID).update(bytes).digest('hex')
      const genuine = headers['access-signature'] === expected
      const arrival = { method, path, headers, rawHeaders, body: bytes.toString(), genuine }
      arrivals.push(arrival)
      if (genuine) for (const one of violationsOf(bytes.toString(), expected)) violations.add(one)
      answer(response, arrival, arrivals.length)
    })
  })
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    port,
    arrivals,
    close: async () => {
      await close()
      expect([...violations]).toEqual([])
    },
  }
}

/** What the document does not say of an event. Tests also send what is none. */
function violationsOf(body: string, signature: string): string[] {
  try {
    return parse(body).type === 'UNRECOGNIZED' ? [] : serviceApi.checkNotification(body, signature)
  } catch {
    return []
  }
}
