import type { Context, Hono } from 'hono'
import type { EventLog, LoggedEvent } from '../state/event-log.ts'

const HEARTBEAT_MS = 15_000
const EVENTS_A_CHUNK = 500

/** `GET stream`: server-sent events, from the `Last-Event-ID` on or from now on. */
export function addStreamRoute(app: Hono, events: EventLog<object>): void {
  app.get('/_sandbox/stream', (c) => streamEvents(c, events))
}

function streamEvents(c: Context, events: EventLog<object>): Response {
  const lastId = c.req.header('last-event-id')
  const position = lastId === undefined ? events.end : events.positionAfter(lastId)
  return c.body(toStream(events, position), 200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
}

/**
 * The stream is pulled: what a reader has not taken stays in the log, and a reader that falls out of the log is
 * dropped. It comes back with its `Last-Event-ID`, and is told by `reset` that it missed events.
 */
function toStream(events: EventLog<object>, start: number | undefined): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let position = start ?? events.end
  let stop = () => {}
  let waiting: (() => void) | undefined
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const send = (text: string) => controller.enqueue(encoder.encode(text))
        const heartbeat = setInterval(() => waiting && send(': still here\n\n'), HEARTBEAT_MS).unref()
        const forget = events.onAppend(() => {
          waiting?.()
          if (events.read(position, 0) !== undefined) return
          stop()
          controller.close()
        })
        stop = () => {
          clearInterval(heartbeat)
          forget()
          waiting?.()
        }
        send(start === undefined ? 'event: reset\ndata: {}\n\n' : ': connected\n\n')
      },
      async pull(controller) {
        if (position === events.end)
          await new Promise<void>((resolve) => {
            waiting = resolve
          })
        waiting = undefined
        const next = events.read(position, EVENTS_A_CHUNK) ?? []
        if (next.length === 0) return
        position += next.length
        controller.enqueue(encoder.encode(next.map(toText).join('')))
      },
      cancel: () => stop(),
    },
    { highWaterMark: 1 },
  )
}

function toText({ id, type, data }: LoggedEvent): string {
  return `id: ${id}\nevent: ${type}\ndata: ${data}\n\n`
}
