import { STATES_OF } from '../../../src/inbox/entry-row.ts'
import type { InboxState } from '../../../src/inbox/inbox.ts'
import { type Functions, STATE, toMs } from './schema.ts'

/** Up to so many waiting or dead entries are counted, which takes a few hundredths of a second. */
const OPEN_COUNTED = 100_000

export function removeFunction(schema: string): Functions {
  return {
    /**
     * Deletes entries that are not active, and returns how many. It locks the keys before the entries, as a
     * release does, so that no two calls wait for each other. A key may become busy in between: PostgreSQL then
     * ends one of the calls, which is repeated.
     */
    'remove(ids uuid[]) returns int': `
declare
  gone uuid[];
  ended text[];
begin
  perform from ${schema}.busy where key in (select key from ${schema}.work where id = any(ids)) order by key for update;
  with found as (
    select id from ${schema}.work where id = any(ids) and state <> ${STATE.active} order by id for update
  ), deleted as (
    delete from ${schema}.work where id in (select id from found) returning id, key
  )
  select array_agg(id), array_agg(key) into gone, ended from deleted;
  delete from ${schema}.notification where id = any(gone);
  perform ${schema}.release(ended);
  return coalesce(cardinality(gone), 0);
end`,
  }
}

export function countFunctions(schema: string): Functions {
  const rowsOf = (name: InboxState) =>
    `select from ${schema}.work where state in (${STATES_OF[name].join(', ')})`
  const count = (name: InboxState, most: string) =>
    `(select count(*) from (${rowsOf(name)} limit ${most} + 1) counted)`
  const estimate = (name: InboxState, most: string) => `
  if ${name} > ${most} then
    execute 'explain (format json) ${rowsOf(name)}' into plan;
    ${name} := greatest(${name}, (plan #>> '{0,Plan,Plan Rows}')::float8);
  end if;`
  const oldest = (condition: string) =>
    `(select due_at from ${schema}.work where ${condition} and due_at <= now() order by due_at limit 1)`
  return {
    /**
     * Counts the entries of each state. Of more than `most` that wait or are dead, and of more completed ones
     * than `most_completed`, it returns PostgreSQL's estimate; it counts no completed ones if that is 0.
     */
    [`counts(most bigint, most_completed bigint, out waiting float8, out active float8, out dead float8,
  out completed float8)`]: `
declare plan json;
begin
  -- At once, as an entry may change its state.
  select ${count('waiting', 'most')}, ${count('active', 'most')}, ${count('dead', 'most')},
    case when most_completed > 0 then ${count('completed', 'most_completed')} end
    into waiting, active, dead, completed;
${estimate('waiting', 'most')}${estimate('active', 'most')}${estimate('dead', 'most')}${estimate('completed', 'most_completed')}
end`,

    /**
     * Reads the indexes of what waits, what is active and what is dead, never what is completed. It fails where
     * a put would, since it writes; but a full disk has space for that.
     */
    'health(out answer json)': `
begin
  -- A call must not wait for a migration, nor stay behind in PostgreSQL once nobody waits for it.
  perform set_config('lock_timeout', '1s', true);
  answer := (select json_strip_nulls(json_build_object(
    'now', ${toMs('now()')},
    'waiting', json_build_object(
      'count', counts.waiting,
      'oldestDueAt', ${toMs(`least(
        ${oldest(`state = ${STATE.waiting}`)}, ${oldest(`state = ${STATE.suspect}`)},
        (select min(first.due_at) from ${schema}.busy, lateral (
          select due_at from ${schema}.work where state = ${STATE.parked} and work.key = busy.key order by id limit 1
        ) first)
      )`)}
    ),
    'active', json_build_object('count', counts.active, 'oldest', (
      select json_build_object('id', id, 'subject', subject, 'startedAt', ${toMs('started_at')})
      from ${schema}.work join ${schema}.notification using (id) where state = ${STATE.active}
      order by started_at limit 1
    )),
    'paused', (
      select json_build_object('since', ${toMs('paused_at')}, 'reason', pause_reason)
      from ${schema}.inbox where paused_at is not null
    ),
    'dead', json_build_object('count', counts.dead),
    'lastStoredAt', ${toMs(`(select max(stored_at) from ${schema}.recent)`)}
  )) from ${schema}.counts(${OPEN_COUNTED}, 0));
  -- Last, so that concurrent calls wait for each other's commit only.
  update ${schema}.inbox set probed_at = now();
end`,
  }
}
