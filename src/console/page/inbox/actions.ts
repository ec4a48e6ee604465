import { counted } from '../parts/format.ts'
import { notify } from '../parts/notice.tsx'
import { callInbox, counts, kind, marked, reload } from './inbox-store.ts'

/** Keeps the URL of a call short. */
const AT_ONCE = 50

/** Replays entries, and shows how many. */
export async function replay(ids: readonly string[]): Promise<void> {
  let replayed = 0
  const failed: string[] = []
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const some = ids.slice(at, at + AT_ONCE).map((id) => ['id', id] as const)
    const response = await callInbox('POST', 'replay', some)
    replayed += response.replayed
    failed.push(...response.failed.map(({ message }) => message))
  }
  marked.value = new Set()
  await finish(replayed, 'replayed', failed.length > 0 ? `, ${failed.length} not: ${failed[0]}` : '')
}

/** Replays all dead entries, or those of the selected kind. */
export async function replayDead(): Promise<void> {
  const { replayed } = await callInbox('POST', 'replay-dead', kind.value ? [['kind', kind.value]] : [])
  await finish(replayed, 'replayed')
}

/** Deletes entries that finished before a time. */
export async function prune(state: 'completed' | 'dead', olderThan: Date): Promise<void> {
  const { pruned } = await callInbox('POST', 'prune', [
    ['state', state],
    ['olderThan', olderThan.toISOString()],
  ])
  await finish(pruned, 'deleted')
}

/** Deletes one entry. */
export async function remove(id: string): Promise<void> {
  await callInbox('POST', 'delete', [['id', id]])
  await finish(1, 'deleted')
}

async function finish(count: number, what: string, failure = ''): Promise<void> {
  notify(`${counted(count, 'notification', 'notifications')} ${what}${failure}`)
  counts.value = (await callInbox('GET', 'counts')).counts
  await reload()
}
