import type { Command } from 'commander'
import type { Inbox, InboxEntry } from '../inbox/inbox.ts'
import { addCommand, type CommandHelp } from './command.ts'
import { INBOX_URL, INBOX_URLS, withInbox } from './open-inbox.ts'
import { print } from './output.ts'

/** Adds a command that takes the URL of an inbox as its first argument. */
export function addInboxCommand(inbox: Command, name: string, help: CommandHelp): Command {
  return addCommand(inbox, name, { ...help, notes: `${INBOX_URLS}\n` }).argument('<url>', INBOX_URL)
}

/** Does something with entries in turn, and prints how many it was, even if it fails for one of them. */
export async function forEachEntry(
  url: string,
  ids: readonly string[],
  done: 'replayed' | 'deleted',
  act: (inbox: Inbox, id: string) => Promise<void>,
): Promise<void> {
  let count = 0
  try {
    await withInbox(url, async (inbox) => {
      for (const id of ids) {
        await act(inbox, id)
        count += 1
      }
    })
  } finally {
    if (count > 0) print({ [done]: count }, () => `${count} ${done}`)
  }
}

export type EntryWithoutBody = Omit<InboxEntry, 'rawBody'> & { readonly bytes: number }

export function withoutBody({ rawBody, ...entry }: InboxEntry): EntryWithoutBody {
  return { ...entry, bytes: rawBody.length }
}
