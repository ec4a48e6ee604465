import { createIfMissing } from './create-if-missing.ts'
import type { SqlRunner } from './engine.ts'
import { IN_STATE } from './table.ts'

const NAME = 'payhook_examine'

/**
 * Creates a function in pg-boss's schema that locks keys until the end of the transaction, then looks which of
 * some subjects have an active job, except some, and which of some keys have a parked one. PostgreSQL plans the
 * queries of a function once for each connection. Planning them each time would cost several times as much as
 * all they do. Each of them sees what was committed before it, so also what earlier holders of the locks have
 * changed.
 */
export async function createSubjectFunction(db: SqlRunner, schema: string): Promise<void> {
  await createIfMissing(
    db,
    `${schema}.${NAME}`,
    `create or replace function ${schema}.${NAME}(
       queue text, locked int[], subjects text[], except_ids uuid[], freed int[]
     ) returns table (subject text, key int) language plpgsql set enable_seqscan = off as $$
     begin
       perform pg_advisory_xact_lock(hashtext('${schema}.' || queue), one) from unnest(locked) as one;
       return query select one, null::int from unnest(subjects) as one, lateral (
         select 1 from ${schema}.job
         where name = queue and ${IN_STATE.active} and group_id = one and id <> all(except_ids) limit 1
       ) active;
       return query select null::text, one from unnest(freed) as one, lateral (
         select 1 from ${schema}.job
         where name = queue and ${IN_STATE.waiting} and priority = one order by created_on limit 1
       ) parked;
     end $$`,
  )
}

/** A call of the function. */
export function examineSubjects(
  schema: string,
  { queue = '$1', locked = `'{}'`, subjects = `'{}'`, except = `'{}'`, freed = `'{}'` },
): string {
  return `${schema}.${NAME}(${queue}, ${locked}, ${subjects}, ${except}, ${freed})`
}
