import { Redis } from 'ioredis'
import {
  checkBehind,
  checkNotifications,
  checkReadBack,
  checkRetry,
  checkShape,
  stop,
  urlOf,
} from './check-notifications.ts'
import type { Trial } from './trial.ts'

const REDIS_URL = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379'
const REDIS_PREFIX = `payhook-example-${process.pid}`

export async function checkWorkersApart(trial: Trial): Promise<void> {
  const env = { REDIS_URL, REDIS_PREFIX }
  try {
    const receiver = trial.npmRun('start', env)
    const workers = [trial.npmRun('worker', env), trial.npmRun('worker', env)]
    await trial.register(await urlOf(receiver))
    await Promise.all(workers.map((worker) => worker.waitFor(/working/)))
    await checkNotifications(trial, trial.ledger)
    checkRetry(trial)
    await checkReadBack(trial)
    await checkBehind(trial)
    await checkShape(trial, ...workers)
    await Promise.all([receiver, ...workers].map((each) => stop(each)))
  } finally {
    const redis = new Redis(REDIS_URL)
    for await (const keys of redis.scanStream({ match: `${REDIS_PREFIX}:*`, count: 1000 })) {
      if (keys.length > 0) await redis.unlink(keys)
    }
    await redis.quit()
  }
}
