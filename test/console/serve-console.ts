import { type ConsoleOptions, createConsole, toNodeListener } from '../../src/console/index.ts'
import type { Inbox } from '../../src/inbox/inbox.ts'
import { mount } from '../contracts/listen.ts'

/** Serves the console of an inbox for one test. Returns its URL. */
export async function serveConsole(
  inbox: Inbox,
  authorize: ConsoleOptions['authorize'] = () => true,
): Promise<string> {
  const handle = toNodeListener(createConsole({ inbox, authorize }))
  const port = await mount((request, response) => void handle(request, response))
  return `http://127.0.0.1:${port}/admin/inbox`
}
