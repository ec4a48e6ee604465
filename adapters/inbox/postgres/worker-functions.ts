import { LEASE_COLUMNS, LEASE_OF_W } from './lease-functions.ts'
import { type Functions, IS_TIMED, STATE } from './schema.ts'

const { active, suspect } = STATE

/** How many leases of dead workers are taken over at once. It is limited, since their bodies are read. */
const RECOVERED_AT_ONCE = 50
/** How long a worker without a session is alive after a heartbeat. */
const LEASE = "interval '3.5 seconds'"
/** The same for one whose session is there: its event loop may be blocked, or its machine may be gone. */
const LONG_LEASE = "interval '15 seconds'"

/** The key of the lock that a worker's session holds, so that others can tell that it is there. */
export function sessionLock(schema: string, worker: string): string {
  return `('${schema}.worker'::regclass::oid::bigint << 32) + ${worker}`
}

export function workerFunctions(schema: string): Functions {
  // A worker that gave no sign of life. Whoever asks gets the lock of a session that is gone.
  const dead = `from ${schema}.worker where id <> me and seen_at < now() - ${LEASE}
      and (seen_at < now() - ${LONG_LEASE} or pg_try_advisory_xact_lock(${sessionLock(schema, 'worker.id')}))`
  // Leases of workers without a row. In no order, as the planner would read the primary key for one.
  const abandoned = `from ${schema}.work where state = ${active}
      and not exists (select from ${schema}.worker where worker.id = work.worker)`
  // Keys that are busy because of an entry that is no longer active: the process died after a transaction of
  // the application had completed it, before it could release the key.
  const leftBusy = `from ${schema}.busy
      where not exists (select from ${schema}.work where work.id = busy.id and state = ${active})`
  return {
    /** Deletes the rows of workers that are dead, and takes over some of what they held, for the caller. */
    [`recover(me bigint) returns table (${LEASE_COLUMNS})`]: `
begin
  delete from ${schema}.worker where id = any(array(select id ${dead} for update skip locked));
  perform ${schema}.release(array(select key ${leftBusy}));
  return query with w as (
    update ${schema}.work set worker = me where id = any(array(
      select id ${abandoned} limit ${RECOVERED_AT_ONCE} for update skip locked
    )) returning *
  )
  select ${LEASE_OF_W} from w join ${schema}.notification n using (id);
end`,

    /** Sends a heartbeat, and tells what there is to do. One statement a second of a worker that is idle. */
    [`beat(me bigint, one_at_a_time boolean, out is_alive boolean, out due_in float8, out is_suspect_due boolean,
  out may_recover boolean, out held int)`]: `
declare is_paused boolean;
begin
  perform set_config('synchronous_commit', 'off', true);
  update ${schema}.worker set seen_at = now(), is_paused = (select paused_at is not null from ${schema}.inbox)
    where id = me returning worker.is_paused into is_paused;
  is_alive := found;
  due_in := case when not is_paused then (
    select ceil(extract(epoch from due_at - now()) * 1000) from ${schema}.work where ${IS_TIMED}
    order by due_at, id limit 1
  ) end;
  is_suspect_due := not is_paused and exists (
    select from ${schema}.work where state = ${suspect} and due_at <= now()
      and not (one_at_a_time and key is not null and exists (select from ${schema}.busy where busy.key = work.key))
  );
  may_recover := exists (select ${dead}) or exists (select ${abandoned}) or exists (select ${leftBusy});
  held := (select count(*) from ${schema}.work where state = ${active} and worker = me);
end`,
  }
}
