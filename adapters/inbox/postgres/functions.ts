import { type Functions, STATE } from './schema.ts'

const { dead, completed, active, waiting, suspect, parked } = STATE

/** How many due entries a worker looks at beyond those that it may take, to find some whose key is not busy. */
const AHEAD = 100

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

const LEASE_COLUMNS = `id uuid, repeats int, received_at bigint, signature text, client_id text, subject text,
  key text, source text, traceparent text, body bytea, attempts int, crashes int`

/** Of `w`, a version of a row of `work` that a statement has just written. */
const LEASE_OF_W = `w.id, w.repeats, n.received_at, encode(n.signature, 'hex'), n.client_id, n.subject, w.key,
  n.source, n.traceparent, n.body, w.attempts, w.crashes`

/**
 * Of an entry that is found by its id. The addition keeps the planner from the index of all that is active,
 * which has ended leases, too, while a long transaction keeps their rows.
 */
const IS_ACTIVE = `state + 0 = ${active}`
/** Whether a worker holds an entry that is found by its id. */
const IS_HELD = `${IS_ACTIVE} and worker = me`

/** Results, and which attempts they are of: a call that comes late has no effect on the next one. */
const RESULTS = `json_to_recordset(results) as given (id uuid, repeats int, attempt int, key text, state smallint,
      attempts int, crashes int, error text, delay float8)`
/** The entry of a result, if the worker still holds it for that attempt. */
const heldEntry = (schema: string) => `select id from ${schema}.work
      where id = given.id and repeats = given.repeats and attempts = given.attempt and ${IS_HELD}`

/** In how many milliseconds the next entry is due. */
const nextDueIn = (schema: string) => `(
    select ceil(extract(epoch from due_at - now()) * 1000) from ${schema}.work where state = ${waiting}
    order by due_at, id limit 1
  )`

export function putFunction(schema: string): Functions {
  return {
    /**
     * Stores notifications unless they are duplicates, and returns the ids of those that it stored, and whether
     * another worker may have to be told. Signatures and ids are inserted in their order, so that no two calls
     * wait for each other. None of them may be there twice. Entries of another inbox, for which `dedupe_ms` is
     * null, are no duplicates, and have a state of their own.
     */
    [`put(me bigint, dedupe_ms float8, puts json, bodies bytea)
  returns table (id uuid, is_awaited boolean)`]: `
begin
  return query with given as materialized (
    select * from json_to_recordset(puts) as g (id uuid, received_at bigint, signature bytea, client_id text,
      subject text, key text, source text, traceparent text, start int, length int, has_id boolean,
      state smallint, attempts int, repeats int, due_in float8, finished_in float8, error text)
  ), fresh as (
    insert into ${schema}.recent as r (signature, stored_at, expires_at)
    select signature, now(), now() + dedupe_ms * interval '1 millisecond'
    from given where dedupe_ms is not null and not (has_id and exists (
      -- Nothing is stored, so its body is not known.
      select from ${schema}.notification where notification.id = given.id
    )) order by signature
    on conflict (signature) do update
      set stored_at = excluded.stored_at, expires_at = greatest(r.expires_at, excluded.expires_at)
      where dedupe_ms = 0 or r.expires_at <= now()
    returning r.signature
  ), stored as (
    insert into ${schema}.notification (id, received_at, signature, client_id, subject, source, traceparent, body)
    select id, received_at, signature, client_id, subject, source, traceparent,
      substring(bodies from start + 1 for length)
    from given where dedupe_ms is null or signature in (select signature from fresh) order by id
    on conflict (id) do nothing returning notification.id
  )
  insert into ${schema}.work (id, key, state, attempts, repeats, due_at, finished_at, error)
    select id, key, coalesce(state, ${waiting}), coalesce(attempts, 0), coalesce(repeats, 0),
      now() + coalesce(due_in, 0) * interval '1 millisecond', now() + finished_in * interval '1 millisecond', error
    from stored join given using (id)
    returning work.id, exists (select from ${schema}.worker where worker.id is distinct from me);
end`,
  }
}

export function leaseFunctions(schema: string): Functions {
  return {
    /**
     * Stores the results of leases that the worker still holds, and takes entries that are due and not suspect,
     * oldest first. The last row has no id, but in how many milliseconds the next entry is due, whether `park`
     * has something to do, and whose results could not be stored, as the entry was locked. There are no rows if
     * the worker has no row: it was taken for dead.
     *
     * Of entries with the same key, the first one is taken: a row of `busy` is inserted for it, which waits for
     * a transaction that inserts the same one. Rows are inserted in their order, so that no two calls wait for
     * each other. A key that another transaction is just releasing is still seen as busy, so nobody waits for
     * that, either.
     */
    [`settle_and_take(me bigint, one_at_a_time boolean, most int, results json, suspects boolean)
  returns table (${LEASE_COLUMNS}, due_in float8, must_park boolean, unsettled json)`]: `
declare
  free uuid[];
  locked uuid[] := '{}';
  settled int; taken int := 0;
  is_paused boolean;
begin
  -- Until the end of the transaction, nobody can take the worker for dead.
  select worker.is_paused into is_paused from ${schema}.worker where id = me for key share;
  if not found then return; end if;
  if is_paused then most := 0; end if;
  if json_array_length(results) > 0 then${settle(schema)}
  end if;${take(schema)}
end`,

    /**
     * Parks the first entries that are due but whose key is busy, without their bodies. It shares a lock
     * on the rows of `busy` with others that park, so that they are not deleted meanwhile (see `release`). What
     * is locked otherwise is left for the next call: so parking never waits.
     */
    'park(most int) returns int': `
declare parked int;
begin
  -- What a crash of the server undoes is parked again.
  perform set_config('synchronous_commit', 'off', true);
  with next as materialized (
    select id, key from ${schema}.work where state = ${waiting} and due_at <= now() order by due_at, id limit most
  ), held as materialized (
    select key from ${schema}.busy where key in (select key from next) order by key for key share skip locked
  )
  update ${schema}.work set state = ${parked} where id in (
    select work.id from next join ${schema}.work using (id)
    where state = ${waiting} and next.key in (select key from held) for update of work skip locked
  );
  get diagnostics parked = row_count;
  return parked;
end`,
  }
}

/**
 * An entry that was completed by a claim may have been replayed, and taken again, before its result came. Each
 * result is looked up by its id, however many there are.
 */
function settle(schema: string): string {
  return `
    update ${schema}.work set state = given.state, worker = null, attempts = given.attempts,
      crashes = given.crashes,
      error = case when given.state = ${completed} then given.error else coalesce(given.error, work.error) end,
      due_at = now() + given.delay * interval '1 millisecond',
      finished_at = case when given.state in (${completed}, ${dead}) then now() end
    from ${RESULTS}, lateral (
      -- Nobody waits for the transaction of a handler that failed, or for one that is parking.
      ${heldEntry(schema)} for update skip locked
    ) held
    where work.id = held.id;
    get diagnostics settled = row_count;
    if settled < json_array_length(results) then
      locked := array(select given.id from ${RESULTS}, lateral (${heldEntry(schema)} offset 0) held);
    end if;
    if one_at_a_time or exists (select from ${schema}.work where state = ${parked}) then
      perform ${schema}.release(array(select key from ${RESULTS} where id <> all(locked)));
    end if;`
}

function take(schema: string): string {
  const due = `select id, key, due_at from ${schema}.work where state = ${waiting} and due_at <= now()
      order by due_at, id limit most`
  const isBusy = `exists (select from ${schema}.busy where busy.key = due.key)`
  // A suspect only begins between two others, which would never happen as long as others follow.
  const isReserved = `exists (
        select from ${schema}.work suspect
        where suspect.state = ${suspect} and suspect.due_at <= now() and suspect.key = due.key
      )`
  const hold = (found: string) => `
    with found as (${found}), held as (
      insert into ${schema}.busy (key, id) select key, id from found
      where one_at_a_time and key is not null order by key, due_at, id on conflict do nothing returning id
    )
    select array_agg(id) into free from found
    where not one_at_a_time or key is null or id in (select id from held);`
  return `
  if most > 0 and suspects then${hold(`
      select id, key, due_at from ${schema}.work due where state = ${suspect} and due_at <= now()
        and not (one_at_a_time and ${isBusy}) order by due_at limit most for update skip locked`)}
  elsif most > 0 and one_at_a_time then
    -- Only what is about to be taken is locked. The others are left to \`park\`, in a transaction of its own:
    -- what parks holds locks that a release waits for, so it must not wait for a release itself.${hold(`
      select work.id, work.key, due.due_at from (${due} + ${AHEAD}) due join ${schema}.work using (id)
      where state = ${waiting} and work.due_at <= now() and not ${isBusy} and not ${isReserved}
      order by due.due_at, due.id limit most for update of work skip locked`)}
  elsif most > 0 then
    free := array(select id from (${due} for update skip locked) due);
  end if;
  if free <> '{}' then
    return query with w as (
      update ${schema}.work set state = ${active}, worker = me, started_at = now(), attempts = attempts + 1
      where id = any(free) returning *
    )
    select ${LEASE_OF_W}, null::float8, null::boolean, null::json
    from w join ${schema}.notification n using (id) order by w.due_at, w.id;
    get diagnostics taken = row_count;
  end if;
  due_in := case when is_paused then null when taken > 0 and taken = most then 0 else ${nextDueIn(schema)} end;
  unsettled := to_json(locked);
  must_park := one_at_a_time and taken < most and exists (select from (${due} + ${AHEAD}) due where ${isBusy});
  return next;`
}

/**
 * Ends that keys are busy if their entry is no longer active, and makes the oldest parked entry of each wait.
 *
 * Deleting a row of `busy` waits for whoever is parking entries of its key, and the next statement sees what
 * they parked: so nothing is parked without somebody left to wake it. If the oldest parked entry is locked, it
 * is being woken or deleted, and the update waits to see whether another one has to be woken instead. To wake
 * more than one does no harm.
 */
export function releaseFunction(schema: string): Functions {
  return {
    'release(ended text[]) returns void': `
declare freed text[] := array(select distinct k from unnest(ended) k where k is not null order by k);
begin
  if freed = '{}' then return; end if;
  delete from ${schema}.busy using (select key from ${schema}.busy where key = any(freed) order by key for update) locked
    where busy.key = locked.key
      and not exists (select from ${schema}.work where work.id = busy.id and ${IS_ACTIVE});
  update ${schema}.work set state = ${waiting} where id = any(array(
    select woken.id from unnest(freed) as k (key), lateral (
      select id from ${schema}.work where state = ${parked} and work.key = k.key order by id limit 1 for update
    ) woken
  ));
end`,
  }
}

export function workerFunctions(schema: string): Functions {
  // A worker that gave no sign of life. Whoever asks gets the lock of a session that is gone.
  const silent = `from ${schema}.worker where id <> me and seen_at < now() - ${LEASE}
      and (seen_at < now() - ${LONG_LEASE} or pg_try_advisory_xact_lock(${sessionLock(schema, 'worker.id')}))`
  // Leases of workers without a row. In no order, as the planner would read the primary key for one.
  const abandoned = `from ${schema}.work where state = ${active}
      and not exists (select from ${schema}.worker where worker.id = work.worker)`
  // Keys that are busy because of an entry that is no longer active: the process died after a transaction of
  // the application had completed it, before it could release the key.
  const leftBusy = `from ${schema}.busy
      where not exists (select from ${schema}.work where work.id = busy.id and state = ${active})`
  return {
    /**
     * Completes an entry in a transaction of the application, and claims a fact unless it is null. Returns
     * whether the fact is new or known, or nothing if the worker does not hold the entry.
     */
    'claim(me bigint, entry uuid, repeat_count int, fact text) returns table (claimed text)': `
begin
  update ${schema}.work set state = ${completed}, error = null, finished_at = now()
    where id = entry and repeats = repeat_count and ${IS_HELD};
  if not found then return; end if;
  insert into ${schema}.claimed (key) select fact where fact is not null on conflict do nothing;
  return query select case when fact is null or found then 'new' else 'known' end;
end`,

    /** Deletes the rows of workers that are dead, and takes over some of what they held, for the caller. */
    [`recover(me bigint) returns table (${LEASE_COLUMNS})`]: `
begin
  delete from ${schema}.worker where id = any(array(select id ${silent} for update skip locked));
  perform ${schema}.release(array(select key ${leftBusy}));
  return query with w as (
    update ${schema}.work set worker = me where id = any(array(
      select id ${abandoned} limit ${RECOVERED_AT_ONCE} for update skip locked
    )) returning *
  )
  select ${LEASE_OF_W} from w join ${schema}.notification n using (id);
end`,

    /** Sends a heartbeat, and tells what there is to do. One statement a second of a worker that is idle. */
    [`beat(me bigint, one_at_a_time boolean, out is_alive boolean, out was_silent boolean, out due_in float8,
  out is_suspect_due boolean, out may_recover boolean, out held int)`]: `
declare is_paused boolean;
begin
  perform set_config('synchronous_commit', 'off', true);
  -- Locked first: an update that waits for that of a pause does not see the rest of the pause.
  select seen_at < now() - ${LEASE} into was_silent from ${schema}.worker where id = me for no key update;
  is_alive := found;
  update ${schema}.worker set seen_at = now(),
      is_paused = exists (select from ${schema}.inbox where paused_at is not null)
    where id = me returning worker.is_paused into is_paused;
  due_in := case when not is_paused then ${nextDueIn(schema)} end;
  is_suspect_due := not is_paused and exists (
    select from ${schema}.work where state = ${suspect} and due_at <= now()
      and not (one_at_a_time and key is not null and exists (select from ${schema}.busy where busy.key = work.key))
  );
  may_recover := exists (select ${silent}) or exists (select ${abandoned}) or exists (select ${leftBusy});
  held := (select count(*) from ${schema}.work where state = ${active} and worker = me);
end`,
  }
}
