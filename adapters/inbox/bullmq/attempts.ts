import type { Job } from 'bullmq'
import { SUSPECT_DEATHS } from '../../../src/inbox/isolation.ts'

/**
 * What BullMQ's own counts of a job leave out, kept as its progress. BullMQ counts the attempts that were made
 * and the processes that died. It has no public call to reset the second, nor the first for a job that waits.
 */
interface Notes {
  /** How many of the attempts made no longer count, since a replay. */
  readonly forgotten: number
  /** How many of the deaths count as attempts made by now, or no longer count. */
  readonly settledDeaths: number
  /** How many attempts up to `lastDeath` in a row ended with the death of their process. */
  readonly deathsInARow: number
  /** The number of the last attempt that ended so. */
  readonly lastDeath: number
  /** How often `stop()` has cut it off. */
  readonly cutOffs: number
}

const NONE: Notes = { forgotten: 0, settledDeaths: 0, deathsInARow: 0, lastDeath: 0, cutOffs: 0 }

type Counts = Pick<Job, 'progress' | 'attemptsMade' | 'stalledCounter'>
type CountedJob = Counts & Pick<Job, 'updateProgress'>

/** How many attempts have ended, with failures and with deaths. */
export function attemptsOf(job: Counts): number {
  return Math.max(job.attemptsMade - notesOf(job).forgotten, 0) + unsettledDeaths(job)
}

/** How many deaths have not been dealt with. */
export function unsettledDeaths(job: Counts): number {
  return Math.max(job.stalledCounter - notesOf(job).settledDeaths, 0)
}

export function cutOffsOf(job: Counts): number {
  return notesOf(job).cutOffs
}

export function isSuspect(job: Counts): boolean {
  const { deathsInARow, lastDeath } = notesOf(job)
  return deathsInARow >= SUSPECT_DEATHS && lastDeath === attemptsOf(job)
}

/** Prepares for the deaths to be stored as a failed attempt, with which BullMQ counts one more as made. */
export async function settleDeaths(job: CountedJob): Promise<void> {
  const attempts = attemptsOf(job)
  const deaths = unsettledDeaths(job)
  const notes = notesOf(job)
  const earlier = notes.lastDeath >= attempts - deaths ? notes.deathsInARow : 0
  await job.updateProgress({
    ...notes,
    forgotten: job.attemptsMade + 1 - attempts,
    settledDeaths: job.stalledCounter,
    deathsInARow: earlier + deaths,
    lastDeath: attempts,
  })
}

export async function noteCutOff(job: CountedJob): Promise<void> {
  const notes = notesOf(job)
  await job.updateProgress({ ...notes, cutOffs: notes.cutOffs + 1 })
}

/**
 * Has all attempts so far no longer count.
 *
 * @param forgotten the attempts that BullMQ counts as made afterwards
 */
export async function forgetAttempts(job: CountedJob, forgotten: number): Promise<void> {
  const settledDeaths = job.stalledCounter
  if (forgotten === 0 && settledDeaths === 0 && notesOf(job) === NONE) return
  await job.updateProgress({ ...NONE, forgotten, settledDeaths })
}

/** Anybody can write a job's progress. */
function notesOf({ progress }: Counts): Notes {
  if (typeof progress !== 'object' || progress === null) return NONE
  const known = Object.entries(progress).filter(
    ([name, value]) => name in NONE && Number.isSafeInteger(value),
  )
  return { ...NONE, ...Object.fromEntries(known) }
}
