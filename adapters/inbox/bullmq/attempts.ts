import type { Job } from 'bullmq'
import { SUSPECT_CRASHES } from '../../../src/inbox/isolation.ts'

/**
 * Corrections of BullMQ's own counters, stored as the job's progress. BullMQ counts attempts and stalls
 * (crashes of the process). It has no public call to reset the stalls, nor the attempts of a waiting job.
 */
const NONE = {
  /** How many of BullMQ's attempts no longer count, because of a replay. */
  forgotten: 0,
  /** How many of BullMQ's stalls are already counted as attempts, or no longer count. */
  settledCrashes: 0,
  /** How many attempts in a row, up to `lastCrash`, ended with a crash of the process. */
  crashesInARow: 0,
  /** The number of the last attempt that ended with a crash. */
  lastCrash: 0,
  /** How often it was replayed after handlers had completed it. */
  repeats: 0,
  /** When it was completed before the last of those replays, which may not have begun. */
  repeated: 0,
  /** 1 if no attempt has ended since a replay: BullMQ keeps the error of the one before. */
  replayed: 0,
  /** When the next attempt after a failure or a replay is due. BullMQ forgets the time of a job that waits. */
  dueAt: 0,
  /** The call of `replayAll` that has replayed it last. */
  replayedBy: 0,
  /** Which of BullMQ's attempts only delays the job until it is due: BullMQ cannot replay for later. */
  delaying: 0,
}

type Notes = Readonly<typeof NONE>

export interface Imported {
  /** A worker moves the job there without running handlers. */
  readonly state: 'waiting' | 'completed' | 'dead'
  readonly attempts: number
  readonly error: string | null
  readonly repeats: number
}

type Counts = Pick<Job, 'progress' | 'attemptsMade' | 'attemptsStarted' | 'stalledCounter' | 'finishedOn'> & {
  readonly data: { readonly imported?: Imported | undefined } | null
}
type CountedJob = Counts & Pick<Job, 'updateProgress'>

/** The number of attempts that failed or crashed. */
export function attemptsOf(job: Counts): number {
  return Math.max(job.attemptsMade - notesOf(job).forgotten, 0) + unsettledCrashes(job)
}

export function unsettledCrashes(job: Counts): number {
  return Math.max(job.stalledCounter - notesOf(job).settledCrashes, 0)
}

export function repeatsOf(job: Counts): number {
  const { repeats, repeated } = notesOf(job)
  // A replay removes this time from the job.
  return repeated !== 0 && repeated === job.finishedOn ? repeats - 1 : repeats
}

/** Since when a waiting job has been due, or when it will be. */
export function dueAtOf(job: Pick<Job, 'progress' | 'timestamp'>): number {
  return readNotes(job.progress).dueAt || job.timestamp
}

export function hasError(job: Counts): boolean {
  return attemptsOf(job) > 0 || notesOf(job).replayed === 0
}

export function isSuspect(job: Counts): boolean {
  const { crashesInARow, lastCrash } = notesOf(job)
  return crashesInARow >= SUSPECT_CRASHES && lastCrash === attemptsOf(job)
}

/** Until when an attempt only delays the job; 0 if it is one for the handlers. */
export function delayedUntil(job: Counts): number {
  const { delaying, dueAt } = notesOf(job)
  return delaying === job.attemptsStarted ? dueAt : 0
}

export function isReplayedBy(job: Counts, call: number): boolean {
  return notesOf(job).replayedBy === call
}

/** The progress of a job whose attempt was cut off. */
export function returnedProgress(job: Counts, dueAt: number): string {
  return JSON.stringify({ ...notesOf(job), dueAt })
}

/** The progress of a job whose attempt has failed, or was deferred. */
export function endedProgress(job: Counts, dueAt: number): string {
  return JSON.stringify({ ...notesOf(job), crashesInARow: 0, replayed: 0, dueAt })
}

/** The progress that counts the crashes as attempts. The job fails now, for which BullMQ counts one attempt. */
export function settledProgress(job: Counts, dueAt: number): object {
  const attempts = attemptsOf(job)
  const crashes = unsettledCrashes(job)
  const notes = notesOf(job)
  const earlier = notes.lastCrash >= attempts - crashes ? notes.crashesInARow : 0
  return {
    ...notes,
    forgotten: job.attemptsMade + 1 - attempts,
    settledCrashes: job.stalledCounter,
    crashesInARow: earlier + crashes,
    lastCrash: attempts,
    dueAt,
  }
}

/**
 * Resets the attempts, and counts the replay of what handlers have completed, once for each completion. Call it
 * before the job is replayed.
 */
export async function noteReplay(
  job: CountedJob,
  wasHandled: boolean,
  dueAt: number | undefined,
  replayedBy = NONE.replayedBy,
): Promise<void> {
  const { finishedOn, stalledCounter: settledCrashes } = job
  const { repeats, repeated, dueAt: lastDueAt } = notesOf(job)
  const now = Date.now()
  await job.updateProgress({
    ...NONE,
    // BullMQ resets its own count of the attempts of a finished job.
    forgotten: finishedOn ? 0 : job.attemptsMade,
    settledCrashes,
    replayed: 1,
    ...(wasHandled ? { repeats: repeatsOf(job) + 1, repeated: finishedOn ?? 0 } : { repeats, repeated }),
    dueAt: dueAt ?? (finishedOn ? now : Math.min(lastDueAt, now)),
    replayedBy,
    ...(dueAt !== undefined && { delaying: job.attemptsStarted + 1 }),
  })
}

/** What another inbox knew about the entry. It applies until the job's progress is written. */
export function importedOf({ progress, data }: Counts): Imported | undefined {
  return typeof progress === 'object' ? undefined : data?.imported
}

function notesOf(job: Counts): Notes {
  const imported = importedOf(job)
  if (imported !== undefined) {
    const { attempts, repeats, state } = imported
    // BullMQ counts an attempt when it moves the job to its final state, and a crash of who was moving it.
    if (state === 'waiting') return { ...NONE, forgotten: -attempts, repeats }
    return { ...NONE, forgotten: 1 - attempts, settledCrashes: job.stalledCounter, repeats }
  }
  return readNotes(job.progress)
}

function readNotes(progress: unknown): Notes {
  return typeof progress === 'object' ? { ...NONE, ...progress } : NONE
}
