/** What runs SQL: pg-boss's own pool, an adapter of the user's, or an open transaction. */
export interface SqlRunner {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

/** An open transaction, as pg-boss's own pool gives it. */
export interface SqlTransaction {
  readonly db: SqlRunner
  commit(): Promise<void>
  /** Never rejects. */
  rollback(): Promise<void>
}

export interface SqlDatabase extends SqlRunner {
  beginTransaction?(): Promise<SqlTransaction>
}

/** What stands in a job's `data`: JSON, as jsonb keeps neither exact bytes nor a NUL character. */
export interface JobData {
  readonly deliveryId: string
  readonly clientId: string
  readonly receivedAt: string
  /** The exact bytes in base64. */
  readonly body: string
}

/** One attempt at a job, as a worker gets it. */
export interface Job {
  readonly id: string
  readonly data: JobData
  /** 0 at the first attempt. */
  readonly retryCount: number
  readonly retryLimit: number
  /** The id of the job that died first, when this one is its replay. */
  readonly sourceRootId: string | null
}

export interface JobResult {
  id: string
  status: 'completed'
}

export interface WorkSettings {
  batchSize: 1
  includeMetadata: true
  perJobResults: true
  pollingIntervalSeconds: number
  heartbeatRefreshSeconds: number
}

export interface QueueSettings {
  retryLimit: number
  retryDelay: number
  retryBackoff: boolean
  retryDelayMax: number
  expireInSeconds: number
  retentionSeconds: number
  deleteAfterSeconds: number
  heartbeatSeconds: number
}

/** What payhook calls of a PgBoss; one of pg-boss 12.35 or later fits. */
export interface PgBossEngine {
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
  getDb(): SqlDatabase
  createQueue(name: string, options: Partial<QueueSettings> & { deadLetter?: string }): Promise<void>
  updateQueue(name: string, options: Partial<QueueSettings> & { deadLetter?: string }): Promise<void>
  insert(
    name: string,
    jobs: { id: string; data: JobData }[],
    options: { db?: SqlRunner; returnId: true },
  ): Promise<string[] | null>
  work(name: string, options: WorkSettings, handler: (jobs: Job[]) => Promise<JobResult[]>): Promise<string>
  offWork(name: string, options: { id: string; wait: boolean }): Promise<void>
  notifyWorker(workerId: string): void
  fail(name: string, job: { id: string; retryCount: number }, output: object): Promise<unknown>
  redrive(name: string, options: { ids: string[] }): Promise<number>
}
