import { countFunctions } from './count-functions.ts'
import { entryFunctions, leaseFunctions, releaseFunction } from './lease-functions.ts'
import { type Functions, STATE } from './schema.ts'
import { workerFunctions } from './worker-functions.ts'

/**
 * The functions that the inbox calls, one for each of its steps, since a call is one round trip, one
 * transaction and one commit. Their plans are cached by each connection without a named statement, which
 * PgBouncer would not keep. A statement inside sees what was committed until it begins, and not only until the
 * function did: what is said below about who sees what depends on that, and so on the isolation level read
 * committed. Rows are given as JSON.
 *
 * The planner must use the indexes even if its statistics are missing or old, as they are after a burst, and
 * must not plan each call anew, which takes longer than most calls. Where it could still read a whole index, it
 * is given an array of ids, or looks up each one in a lateral query.
 */
export function createFunctions(schema: string): string {
  const settings = [
    'set enable_seqscan = off set enable_bitmapscan = off set jit = off',
    'set plan_cache_mode = force_generic_plan',
  ].join(' ')
  const create = (functions: Functions, planned: string) =>
    Object.entries(functions).map(
      ([signature, body]) =>
        `create function ${schema}.${signature} language plpgsql ${planned} as $$\n#variable_conflict use_column${body}\n$$;`,
    )
  return [
    // The first one plans well without settings, and the second one is called with those of others.
    ...create({ ...putFunction(schema), ...releaseFunction(schema) }, ''),
    ...create(
      {
        ...leaseFunctions(schema),
        ...entryFunctions(schema),
        ...workerFunctions(schema),
        ...countFunctions(schema),
      },
      settings,
    ),
  ].join('\n')
}

function putFunction(schema: string): Functions {
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
      subject text, key text, source text, traceparent text, start int, length int,
      state smallint, attempts int, repeats int, due_in float8, finished_in float8, error text)
  ), fresh as (
    insert into ${schema}.recent as r (signature, stored_at, expires_at)
    select signature, now(), now() + dedupe_ms * interval '1 millisecond'
    from given where dedupe_ms is not null order by signature
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
    select id, key, coalesce(state, ${STATE.waiting}), coalesce(attempts, 0), coalesce(repeats, 0),
      now() + coalesce(due_in, 0) * interval '1 millisecond', now() + finished_in * interval '1 millisecond', error
    from stored join given using (id)
    returning work.id, exists (select from ${schema}.worker where worker.id is distinct from me);
end`,
  }
}
