import { counted } from '../parts/format.ts'
import { notify } from '../parts/notice.tsx'
import { callInbox, counts, health, marked, reload } from './inbox-store.ts'

export async function replay(ids: readonly string[]): Promise<void> {
  const query = ids.map((id) => ['id', id] as const)
  const { replayed, failed } = await callInbox('POST', 'replay', query)
  marked.value = new Set()
  await finish(replayed, 'replayed', failed[0] && `, ${failed.length} not: ${failed[0].message}`)
}

type Query = readonly (readonly [string, string])[]

/** @returns how many it would be */
export async function countReplay(filter: Query): Promise<number> {
  return (await callInbox('POST', 'replay-all', [...filter, ['dryRun', '']])).replayed
}

export async function replayAll(filter: Query): Promise<void> {
  const { replayed } = await callInbox('POST', 'replay-all', filter)
  await finish(replayed, 'replayed')
}

export async function prune(state: 'completed' | 'dead', olderThan: Date): Promise<void> {
  const { pruned } = await callInbox('POST', 'prune', [
    ['state', state],
    ['olderThan', olderThan.toISOString()],
  ])
  await finish(pruned, 'deleted')
}

export async function remove(id: string): Promise<void> {
  await callInbox('POST', 'delete', [['id', id]])
  await finish(1, 'deleted')
}

export async function pause(reason: string): Promise<void> {
  await callInbox('POST', 'pause', [['reason', reason]])
  health.value = await callInbox('GET', 'health')
}

export async function resume(): Promise<void> {
  await callInbox('POST', 'resume')
  health.value = await callInbox('GET', 'health')
}

async function finish(count: number, what: string, failure = ''): Promise<void> {
  notify(`${counted(count, 'notification')} ${what}${failure}`)
  counts.value = (await callInbox('GET', 'counts')).counts
  await reload()
}
