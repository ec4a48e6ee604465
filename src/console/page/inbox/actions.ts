import { counted } from '../parts/format.ts'
import { notify } from '../parts/notice.tsx'
import { callInbox, counts, kind, marked, reload, search, show } from './inbox-store.ts'

/** Keeps the URL of a call short. */
const AT_ONCE = 50

/** Replays entries, and shows how many. */
export async function replay(ids: readonly string[]): Promise<void> {
  let replayed = 0
  const failed: string[] = []
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const some = ids.slice(at, at + AT_ONCE).map((id) => ['id', id] as const)
    const answer = await callInbox('POST', 'replay', some)
    replayed += answer.replayed
    failed.push(...answer.failed.map(({ message }) => message))
  }
  const [reason] = failed
  notify(
    `${counted(replayed, 'notification', 'notifications')} replayed${reason ? `, ${failed.length} not: ${reason}` : ''}`,
  )
  marked.value = new Set()
  await refresh()
}

/** Replays all dead entries, or those of the selected kind. */
export async function replayDead(): Promise<void> {
  const { replayed } = await callInbox('POST', 'replay-dead', kind.value ? [['kind', kind.value]] : [])
  notify(`${counted(replayed, 'notification', 'notifications')} replayed`)
  await refresh()
}

/** Deletes entries that were finished before a time. */
export async function prune(state: 'completed' | 'dead', olderThan: Date): Promise<void> {
  const { pruned } = await callInbox('POST', 'prune', [
    ['state', state],
    ['olderThan', olderThan.toISOString()],
  ])
  notify(`${counted(pruned, 'notification', 'notifications')} deleted`)
  await refresh()
}

/** Clears search and kind. */
export async function showAll(): Promise<void> {
  if (kind.value || search.value) await show({ kind: '', search: '' })
}

async function refresh(): Promise<void> {
  counts.value = (await callInbox('GET', 'counts')).counts
  await reload()
}
