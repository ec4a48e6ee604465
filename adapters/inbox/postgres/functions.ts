import { countsFunction, healthFunction } from './count-functions.ts'
import {
  claimFunction,
  parkFunction,
  releaseFunction,
  removeFunction,
  settleAndTakeFunction,
} from './lease-functions.ts'
import type { Parts } from './schema.ts'
import { beatFunction, recoverFunction } from './worker-functions.ts'

/**
 * The functions that the inbox calls, one for each of its steps, since a call is one round trip, one
 * transaction and one commit. Their plans are cached by each connection without a named statement, which
 * PgBouncer would not keep. A statement inside sees what was committed until it begins, and not only until the
 * function did: what is said below about who sees what depends on that, and so on the isolation level read
 * committed.
 *
 * The planner must use the indexes even if its statistics are missing or old, as they are after a burst, and
 * must not plan each call anew, which takes longer than most calls.
 */
export function createFunctions(schema: string): string {
  const settings = [
    'set enable_seqscan = off set enable_bitmapscan = off set jit = off',
    'set plan_cache_mode = force_generic_plan',
  ].join(' ')
  const create = ([signature, body]: Parts, planned = settings) =>
    `create function ${schema}.${signature} language plpgsql ${planned} as $$\n#variable_conflict use_column${body}\n$$;`
  return [
    create(putFunction(schema), ''),
    // This is called by the others.
    create(releaseFunction(schema), ''),
    create(settleAndTakeFunction(schema)),
    create(parkFunction(schema)),
    create(claimFunction(schema)),
    create(removeFunction(schema)),
    create(recoverFunction(schema)),
    create(beatFunction(schema)),
    create(countsFunction(schema)),
    create(healthFunction(schema)),
  ].join('\n')
}

/**
 * Stores notifications unless they are duplicates, and returns the ids of those that it stored, and whether
 * another worker may have to be told. Signatures and ids are inserted in their order, so that no two calls wait
 * for each other. None of them may be there twice.
 */
function putFunction(schema: string): Parts {
  return [
    `put(me bigint, dedupe_ms float8, ids uuid[], received bigint[], hexes text[], client_ids text[],
  subjects text[], keys text[], sources text[], traceparents text[], starts int[], lengths int[], bodies bytea)
  returns table (id uuid, is_awaited boolean)`,
    `
begin
  return query with given as materialized (
    select g.*, decode(g.hex, 'hex') as signature
    from unnest(ids, received, hexes, client_ids, subjects, keys, sources, traceparents, starts, lengths)
      as g (id, received_at, hex, client_id, subject, key, source, traceparent, start, length)
  ), fresh as (
    insert into ${schema}.recent as r (signature, stored_at)
    select signature, now() from given order by signature
    on conflict (signature) do update set stored_at = excluded.stored_at
      where dedupe_ms = 0 or r.stored_at <= now() - dedupe_ms * interval '1 millisecond'
    returning r.signature
  ), stored as (
    insert into ${schema}.notification (id, received_at, signature, client_id, subject, source, traceparent, body)
    select id, received_at, signature, client_id, subject, source, traceparent,
      substring(bodies from start + 1 for length)
    from given join fresh using (signature) order by id
    on conflict (id) do nothing returning notification.id
  )
  insert into ${schema}.work (id, key) select id, key from stored join given using (id)
    returning work.id, exists (select from ${schema}.worker where worker.id is distinct from me);
end`,
  ]
}
