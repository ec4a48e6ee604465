import { withTimeLimit } from '../time-limit.ts'

/** Whether a promise resolves or rejects within a time limit. Never rejects. */
export async function settlesWithin(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  const settled = promise.then(
    () => true,
    () => true,
  )
  return await withTimeLimit(settled, limitMs, () => new Error('too late')).catch(() => false)
}
