import type { DeliverySummaryJson } from '../sandbox/control/control-json.ts'
import { noSandbox, toControlUrl } from './control-api.ts'
import { Failure } from './errors.ts'
import { toFetchable } from './request.ts'

/**
 * Follows the deliveries of the running sandbox: each of them whenever it changes, until the signal is aborted.
 *
 * @param onConnected called once none can be missed
 * @throws Failure if there is no sandbox, or no longer, or if it disconnects a reader that is too slow
 */
export async function* followDeliveries(
  signal: AbortSignal,
  onConnected: () => void,
): AsyncGenerator<DeliverySummaryJson, void, undefined> {
  const { url, headers } = toFetchable(toControlUrl('stream'))
  let failure = noSandbox()
  try {
    const { ok, body } = await fetch(url, { headers, signal })
    if (ok && body !== null) {
      onConnected()
      for await (const event of readEvents(body)) if (event.type === 'delivery') yield JSON.parse(event.data)
      failure = new Failure('too_slow', 'The sandbox has disconnected: its deliveries were read too slowly.')
    }
  } catch {
    // Reported below, unless the user has ended it.
  }
  if (!signal.aborted) throw failure
}

/** Server-sent events. The fields of an event are lines, and an empty line ends it. */
async function* readEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<{ type?: string; data: string }> {
  let rest = ''
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = block.split('\n').map((line) => line.split(/: (.*)/s))
      const { event: type, data = '' } = Object.fromEntries(fields)
      yield { type, data }
    }
  }
}
