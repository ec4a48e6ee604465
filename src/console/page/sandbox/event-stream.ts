import { signal } from '@preact/signals'
import type { StreamEvents } from '../../../sandbox/control/control-json.ts'

const RETRY_MS = 1_000

export const live = signal(false)

/**
 * Follows the sandbox while the page is visible: a browser opens six connections to a host, so the streams of
 * six hidden pages would leave none for the seventh.
 *
 * @param onOpen called whenever a stream begins: the sandbox may have restarted, and earlier events are missing
 */
export function followEvents(
  listeners: { readonly [Name in keyof StreamEvents]?: (data: StreamEvents[Name]) => void },
  onOpen: () => void,
): void {
  let stream: EventSource | undefined
  const connect = () => {
    stream?.close()
    stream = undefined
    if (document.hidden) return
    const own = new EventSource('/_sandbox/stream')
    stream = own
    own.addEventListener('open', () => {
      live.value = true
      onOpen()
    })
    own.addEventListener('error', () => {
      live.value = false
      // Of a response that is not a stream. Browsers reconnect by themselves otherwise.
      if (own.readyState === EventSource.CLOSED) setTimeout(() => own === stream && connect(), RETRY_MS)
    })
    for (const [name, take] of Object.entries(listeners))
      own.addEventListener(name, ({ data }) => take(JSON.parse(data)))
  }
  document.addEventListener('visibilitychange', connect)
  connect()
}
