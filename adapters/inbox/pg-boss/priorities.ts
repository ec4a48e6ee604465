import { SUSPECT_CRASHES } from '../../../src/inbox/isolation.ts'

/*
 * pg-boss's index of waiting jobs is in the order of priority, so that a fetch of some priorities does not pass
 * the others:
 *
 *  1                       woken: their turn had come before
 *  0                       new, and retries that are due soon
 *  about -200,000,000      retries that wait longer, by the time when they are due
 *  below -1,600,000,000    parked, by subject
 *  the lowest              suspects
 */

/** Below the priority of all other jobs, so that fetching those excludes suspects. */
export const SUSPECT_PRIORITY = -(2 ** 31) + 1
/** Retries that wait longer get the negative time when they are due as their priority. */
const SOON_SECONDS = 60
const YEAR_2020 = Date.UTC(2020) / 1_000
export const PARKED_PRIORITIES = { from: SUSPECT_PRIORITY + 1, to: SUSPECT_PRIORITY + 2 ** 29 }

/** The priority of a job after that many crashes in a row. */
export function priorityOf(crashes: number, delaySeconds: number): number {
  if (crashes >= SUSPECT_CRASHES) return SUSPECT_PRIORITY
  return delaySeconds > SOON_SECONDS ? priorityIn(delaySeconds) : 0
}

/**
 * The priority of a retry that waits long. The lowest one that may be due, with room for clocks that differ.
 */
export function priorityIn(seconds = SOON_SECONDS): number {
  return YEAR_2020 - Math.floor(Date.now() / 1_000 + seconds)
}

/** The priority of a job that was parked. */
export function wokenPriority(crashes: number): number {
  return priorityOf(crashes, 0) || 1
}

/** The priority of the parked jobs about a subject, by its FNV-1a hash. Seldom, two subjects have the same. */
export function parkedPriority(subject: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < subject.length; at++) hash = Math.imul(hash ^ subject.charCodeAt(at), 0x01000193)
  return PARKED_PRIORITIES.from + (hash >>> 3)
}
