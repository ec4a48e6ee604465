import { IS_TIMED, type Parts, STATE, STATES_OF, toMs } from './schema.ts'

/**
 * Up to so many entries that wait or are dead, `health` counts them, which takes a few hundredths of a second.
 */
const OPEN_COUNTED = 100_000

/**
 * Counts the entries in each state. Of more than `most` that are waiting or dead, and of more completed ones
 * than `most_completed`, it returns PostgreSQL's estimate; it counts no completed ones if that is 0.
 */
export function countsFunction(schema: string): Parts {
  const count = (name: keyof typeof STATES_OF, most: string) => {
    const rows = `select from ${schema}.work where state in (${STATES_OF[name].join(', ')})`
    return `
  ${name} := (select count(*) from (${rows} limit ${most} + 1) counted);
  if ${name} > ${most} then
    execute 'explain (format json) ${rows}' into plan;
    ${name} := greatest(${name}, (plan #>> '{0,Plan,Plan Rows}')::float8);
  end if;`
  }
  return [
    `counts(most bigint, most_completed bigint, out waiting float8, out active float8, out dead float8,
  out completed float8)`,
    `
declare plan json;
begin${count('waiting', 'most')}${count('active', 'most')}${count('dead', 'most')}
  if most_completed > 0 then${count('completed', 'most_completed')}
  end if;
end`,
  ]
}

/**
 * Reads the indexes of what waits, what is active and what is dead, never what is completed. It fails where a
 * put would, since it writes; but a full disk has space for that.
 */
export function healthFunction(schema: string): Parts {
  const oldest = (condition: string) =>
    `(select due_at from ${schema}.work where ${condition} and due_at <= now() order by due_at limit 1)`
  return [
    `health(out at float8, out waiting float8, out due float8, out active float8, out oldest uuid,
  out subject text, out started float8, out dead float8, out stored float8, out paused float8, out reason text,
  out deferred float8)`,
    `
begin
  -- A call must not wait for a migration, nor stay behind in PostgreSQL once nobody waits for it.
  perform set_config('lock_timeout', '1s', true);
  at := ${toMs('now()')};
  select c.waiting, c.active, c.dead into waiting, active, dead from ${schema}.counts(${OPEN_COUNTED}, 0) c;
  due := ${toMs(`least(
    ${oldest(IS_TIMED)}, ${oldest(`state = ${STATE.suspect}`)},
    (select min(first.due_at) from ${schema}.busy, lateral (
      select due_at from ${schema}.work where state = ${STATE.parked} and work.key = busy.key order by id limit 1
    ) first)
  )`)};
  select w.id, n.subject, ${toMs('w.started_at')} into oldest, subject, started
    from ${schema}.work w join ${schema}.notification n using (id) where state = ${STATE.active}
    order by w.started_at limit 1;
  deferred := (select count(*) from (
    select from ${schema}.work where state = ${STATE.deferred} limit ${OPEN_COUNTED}
  ) counted);
  stored := ${toMs(`(select max(stored_at) from ${schema}.recent)`)};
  -- Last, so that concurrent calls wait for each other's commit only.
  update ${schema}.inbox set probed_at = now() returning ${toMs('paused_at')}, pause_reason into paused, reason;
end`,
  ]
}
