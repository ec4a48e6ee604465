import { createHandover, type Handover } from '../../src/inbox/handover.ts'
import type { CheckedInboxOptions } from '../../src/inbox/inbox-options.ts'
import type { InboxConsumer } from '../../src/receiver-inbox.ts'
import { withTimeLimit } from '../../src/time-limit.ts'
import type { PgBossPlace } from './pg-boss-connection.ts'
import type { Job, JobResult, PgBossEngine } from './pg-boss-engine.ts'
import type { PgBossEntries } from './pg-boss-entries.ts'
import { fromJobData } from './pg-boss-job.ts'

const POLL_MS = 500
/** What workers do by themselves; the timer here wakes them sooner, one at a time. */
const POLL_SECONDS = 30
const HEARTBEAT_REFRESH_SECONDS = 3
const OFF_WORK_LIMIT_MS = 5_000

/** The workers of one PgBoss, from one `start()` to its `stop()`. */
export interface PgBossWork {
  /** Has one more worker look for a job. */
  wake(): void
  /** Takes nothing more, and lets running handlers finish. */
  stop(): Promise<void>
}

export interface WorkContext {
  readonly engine: PgBossEngine
  readonly place: PgBossPlace
  readonly entries: PgBossEntries
  readonly options: CheckedInboxOptions
  readonly consumer: InboxConsumer
  readonly onTrouble: (error: unknown) => void
}

/**
 * Takes jobs with as many workers as notifications may be handled at once, one job each, so that a slow handler holds up
 * nothing else. A worker that had a job looks for the next at once; of those that had none one looks every half second,
 * and wakes another when it finds something: an idle inbox costs two queries a second, whatever its concurrency.
 */
export async function startPgBossWork(context: WorkContext): Promise<PgBossWork> {
  const { engine, place, options } = context
  const handover = createHandover(context.consumer, options.stopTimeoutMs)
  const abandoned = Promise.withResolvers<undefined>()
  const idle = new Set<string>()
  const workers: string[] = []
  let stopping = false

  function wake(): void {
    const [id] = idle
    if (id === undefined || stopping) return
    idle.delete(id)
    idle.add(id)
    engine.notifyWorker(id)
  }

  async function addWorker(): Promise<void> {
    const settings = {
      batchSize: 1,
      includeMetadata: true,
      perJobResults: true,
      pollingIntervalSeconds: POLL_SECONDS,
      heartbeatRefreshSeconds: HEARTBEAT_REFRESH_SECONDS,
    } as const
    const id: string = await engine.work(place.queue, settings, async (jobs) => {
      idle.delete(id)
      wake()
      try {
        return await settle(context, jobs, stopping ? undefined : handover, abandoned.promise)
      } finally {
        idle.add(id)
        if (!stopping) engine.notifyWorker(id)
      }
    })
    workers.push(id)
    idle.add(id)
  }

  for (let index = 0; index < options.concurrency; index++) await addWorker()
  const timer = setInterval(wake, POLL_MS)

  async function dismiss(): Promise<void> {
    stopping = true
    clearInterval(timer)
    const gone = workers.map((id) => engine.offWork(place.queue, { id, wait: true }))
    if (!(await handover.finish())) abandoned.resolve(undefined)
    const late = () => new Error('PostgreSQL did not take in time what came of the last notifications.')
    await withTimeLimit(Promise.all(gone), OFF_WORK_LIMIT_MS, late)
  }

  return { wake, stop: () => dismiss().catch(context.onTrouble) }
}

/**
 * Handles the one job of a batch, and tells pg-boss what came of it.
 *
 * @param handover none when the worker got the job after `stop()`
 * @param abandoned resolves when a handler that is still running is left behind
 */
async function settle(
  context: WorkContext,
  jobs: Job[],
  handover: Handover | undefined,
  abandoned: Promise<undefined>,
): Promise<JobResult[]> {
  const [job] = jobs
  if (job === undefined) return []
  const delivery = { id: job.sourceRootId ?? job.id, ...fromJobData(job.data), attempt: job.retryCount + 1 }
  const outcome = await Promise.race([
    handover?.hand(delivery) ?? ({ result: 'cut_off' } as const),
    abandoned,
  ])
  if (outcome?.result === 'completed') return [{ id: job.id, status: 'completed' }]

  // What is gone from its list pg-boss neither settles nor keeps alive.
  jobs.length = 0
  try {
    if (outcome?.result === 'cut_off') await giveBack(context, job)
    if (outcome?.result === 'failed') await fail(context, job, outcome)
  } catch (error) {
    // It stays active, and comes back when its heartbeat is missed.
    context.onTrouble(error)
  }
  return []
}

/** As if the attempt had not been: pg-boss has a call for it, which it does not let out. */
async function giveBack({ engine, place }: WorkContext, job: Job): Promise<void> {
  await engine.getDb().executeSql(
    `update ${place.schema}.job
     set state = 'created', started_on = null, heartbeat_on = null, start_after = now()
     where name = $1 and id = $2 and state = 'active' and retry_count = $3`,
    [place.queue, job.id, job.retryCount],
  )
}

async function fail(
  { engine, place, entries, consumer }: WorkContext,
  job: Job,
  { error, final }: { error: string; final: boolean },
): Promise<void> {
  if (final) {
    await engine.getDb().executeSql(
      `update ${place.schema}.job set retry_limit = retry_count
       where name = $1 and id = $2 and state = 'active' and retry_count = $3`,
      [place.queue, job.id, job.retryCount],
    )
  }
  await engine.fail(place.queue, { id: job.id, retryCount: job.retryCount }, { error })
  if (!final && job.retryCount < job.retryLimit) return
  for (const dead of await entries.takeUnreported(job.sourceRootId ?? job.id)) await consumer.dead(dead)
}
