import type { EngineHealth } from '../../../src/inbox/health.ts'
import { dueAtOf } from './attempts.ts'
import { LONGEST_RETRY_MS } from './busy-keys.ts'
import type { Connection, RedisClient } from './connection.ts'
import { DELAYED_SCORES_PER_MS, subjectOf } from './job.ts'
import { runScript } from './scripts.ts'

type Reply = string | number | null

/** Uses this process's clock, as every time in Redis was written by a process. */
export async function readHealth({ queue, reach, limit }: Connection): Promise<EngineHealth> {
  const client = await reach()
  const now = Date.now()
  const firstParked = (now + LONGEST_RETRY_MS) * DELAYED_SCORES_PER_MS
  const [replies, notDurable] = await limit(() =>
    Promise.all([runScript<Reply>(queue, 'payhookHealth', [firstParked]), findNotDurable(client)]),
  )
  const [waiting, active, dead, storedAt, id, startedAt, data, delayedScore, pausedAt, reason, ...next] =
    replies
  const dueAt = [Number(delayedScore ?? Infinity) / DELAYED_SCORES_PER_MS]
  for (let at = 0; at < next.length; at += 2) {
    const [timestamp, progress] = next.slice(at, at + 2)
    dueAt.push(dueAtOf({ timestamp: Number(timestamp ?? Infinity), progress: fromJson(progress) }))
  }
  const oldestDueAt = Math.floor(Math.min(...dueAt))
  return {
    now,
    waiting: {
      count: Number(waiting),
      oldestDueAt: oldestDueAt <= now ? oldestDueAt : undefined,
    },
    active: {
      count: Number(active),
      oldest: startedAt
        ? { id: String(id), subject: subjectOf({ data: fromJson(data) }), startedAt: Number(startedAt) }
        : undefined,
    },
    paused: pausedAt ? { since: Number(pausedAt), reason: String(reason) } : undefined,
    dead: { count: Number(dead) },
    lastStoredAt: storedAt ? Number(storedAt) : undefined,
    notDurable,
  }
}

/** Fails if the user of the connection may not ask: a worker of BullMQ would loop without a pause. */
async function findNotDurable(client: RedisClient): Promise<string | undefined> {
  const info = await client.info()
  const [, policy] = /^maxmemory_policy:(\S+)/m.exec(info) ?? []
  if (/^aof_enabled:0/m.test(info))
    return 'a restart of Redis loses the most recent ones: set "appendonly yes"'
  if (/^maxmemory:[1-9]/m.test(info) && policy !== 'noeviction')
    return `Redis deletes some when its memory is full: set "maxmemory-policy noeviction" instead of "${policy}"`
  return undefined
}

/** `undefined` if another program has written something else. */
function fromJson(text: Reply | undefined) {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined
  }
}
