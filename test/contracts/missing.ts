import { it } from 'vitest'

/**
 * Stands for tests that need what this machine lacks: skipped, and named when the run ends; in CI a failure.
 */
export function describeMissing(name: string, missing: string): void {
  it(name, ({ skip }) => {
    if (process.env.CI) throw new Error(missing)
    skip(missing)
  })
}
