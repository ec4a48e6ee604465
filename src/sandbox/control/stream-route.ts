import type { Hono } from 'hono'
import type { EventLog, LoggedEvent } from '../state/event-log.ts'

const HEARTBEAT_MS = 15_000
const EVENTS_A_CHUNK = 500

/** `GET stream`: server-sent events, from the `Last-Event-ID` on or from now on. */
export function addStreamRoute(app: Hono, events: EventLog<object>): void {
  app.get('/_sandbox/stream', (c) => {
    const lastId = c.req.header('last-event-id')
    const position = lastId === undefined ? events.end : events.positionAfter(lastId)
    return c.newResponse(c.req.method === 'HEAD' ? null : toStream(events, position), 200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
  })
}

/** Unread events stay in the log. A reader too far behind is disconnected, and then gets a `reset` event. */
function toStream(events: EventLog<object>, start: number | undefined): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let position = start ?? events.end
  let controller: ReadableStreamDefaultController<Uint8Array>
  const write = (text: string) => controller.enqueue(encoder.encode(text))
  const isTaken = () => (controller.desiredSize ?? 0) > 0
  const heartbeat = setInterval(() => isTaken() && write(': still here\n\n'), HEARTBEAT_MS).unref()
  const send = () => {
    const next = events.read(position, isTaken() ? EVENTS_A_CHUNK : 0)
    if (next === undefined) {
      stop()
      controller.close()
    } else if (next.length > 0) {
      position += next.length
      write(next.map(toText).join(''))
    }
  }
  const forget = events.onAppend(send)
  const stop = () => {
    clearInterval(heartbeat)
    forget()
  }
  const begin = (given: typeof controller) => {
    controller = given
    write(start === undefined ? 'event: reset\ndata: {}\n\n' : ': connected\n\n')
  }
  return new ReadableStream({ start: begin, pull: send, cancel: stop }, { highWaterMark: 1 })
}

function toText({ id, type, data }: LoggedEvent): string {
  return `id: ${id}\nevent: ${type}\ndata: ${data}\n\n`
}
