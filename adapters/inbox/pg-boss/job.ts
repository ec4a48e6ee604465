import type { JobData, JobPast } from './engine.ts'

const NO_PAST: JobPast = { attempts: 0, deaths: 0, cutOffs: 0, error: null }

/** Ignores what another program stored under that name. */
export function pastOf(data: Pick<JobData, 'past'> | null): JobPast {
  const past = data?.past
  const isOurs = [past?.attempts, past?.deaths, past?.cutOffs].every(Number.isSafeInteger)
  return past && isOurs ? past : NO_PAST
}

/** The error in a job's output: from the worker, or pg-boss's own reason for failing the attempt. */
export function fromJobOutput(output: unknown): string | null {
  if (output === null || typeof output !== 'object') return null
  const { error, value, message } = output as { error?: unknown; value?: unknown; message?: unknown }
  if (typeof error === 'string') return error
  const reason = (value as { message?: unknown } | null | undefined)?.message ?? value ?? message
  return `pg-boss: ${typeof reason === 'string' ? reason : JSON.stringify(output)}`
}
