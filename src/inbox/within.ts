import { withTimeLimit } from '../time-limit.ts'

/** Waits for a promise, but no longer than a time; tells whether it was settled by then. */
export async function within(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  const settled = promise.then(
    () => true,
    () => true,
  )
  return await withTimeLimit(settled, limitMs, () => new Error('too late')).catch(() => false)
}
