import { BoundedMap } from './bounded-map.ts'

/** A request of a client. Its secrets and tokens are masked. */
export interface RecordedRequest {
  readonly method: string
  readonly path: string
  /** With its question mark; empty if there is none. */
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  /** The first 16 KiB. */
  readonly body: string
  readonly requestId?: string
  readonly status: number
  /** The response to a failed request. */
  readonly responseBody?: string
  readonly at: Date
}

export function toRequestJson({ at, ...request }: RecordedRequest) {
  return { ...request, at: at.toISOString() }
}

const MAX_BYTES = 16 * 1024 * 1024
const RECORD_BYTES = 500

export type RecordedRequests = ReturnType<typeof createRecordedRequests>

export function createRecordedRequests(onRecord: (request: RecordedRequest) => void) {
  const records = new BoundedMap<number, RecordedRequest>(MAX_BYTES, sizeOf)
  let count = 0
  return {
    add(record: RecordedRequest): void {
      records.set(count++, record)
      onRecord(record)
    },
    list: () => structuredClone([...records.values()]),
    clear: () => records.clear(),
  }
}

function sizeOf({ path, query, headers, body, responseBody = '' }: RecordedRequest): number {
  const texts = [path, query, body, responseBody, ...Object.entries(headers).flat()]
  return texts.reduce((sum, { length }) => sum + length, RECORD_BYTES)
}
