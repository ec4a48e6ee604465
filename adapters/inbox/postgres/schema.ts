import { STATES_OF } from '../../../src/inbox/entry-row.ts'

/**
 * States of `work`. A `waiting` entry may be taken from `due_at` on. A `suspect` may, too, but alone: it may be
 * what crashes its process. A `parked` one is due as well, but not looked at again until no other entry of its
 * key is active.
 */
export const STATE = {
  dead: 0,
  completed: 1,
  active: 2,
  waiting: 3,
  suspect: 4,
  parked: 5,
} as const

export function toMs(time: string): string {
  return `floor(extract(epoch from ${time}) * 1000)::float8`
}

/** The bodies of functions, by their name, parameters and result. */
export type Functions = Readonly<Record<string, string>>

const { dead, completed, active, waiting, suspect, parked } = STATE

/**
 * `notification` is written once. `work` is its state, which changes often and is small, so that a change does
 * not write the body again. Both have the entry's lasting id, which sorts by arrival. `crashes` counts the
 * consecutive attempts that ended with a crash of their process, `repeats` the replays of a handled entry.
 * `key` is the concurrency key, null if the entry is not limited.
 *
 * A change of the state makes a new version of a row of `work`, and a new place in each index that has it. So
 * all indexes but the primary key are partial: an entry is in three of them at most. What is completed leaves
 * those that workers read.
 *
 * `worker` has a row for each process that handles entries, with its last heartbeat. Its number is random: a
 * sequence would give one that is in use again after a backup was restored. Whether the inbox is paused is
 * copied there, to a row that is read anyway when entries are taken. What is active is held by the worker in
 * its row, as long as that has a row itself. `busy` has a row for each key that an entry has to itself.
 * `claimed` has the keys that the option `idempotencyKey` gave. `recent` is the window for duplicates: each
 * process gives what it stores a time to expire. Its newest row, which is never deleted, tells when a
 * notification was last stored.
 */
export function createTables(schema: string): string {
  return `
create table ${schema}.inbox (
  version int primary key default 1,
  mark uuid not null default gen_random_uuid(),
  probed_at timestamptz,
  paused_at timestamptz,
  pause_reason text
) with (fillfactor = 10);
create table ${schema}.notification (
  id uuid primary key,
  received_at bigint not null,
  signature bytea not null,
  client_id text not null,
  subject text collate "C",
  source text,
  traceparent text,
  body bytea not null
);
create index notification_by_subject on ${schema}.notification (subject, id) where subject is not null;
create table ${schema}.work (
  id uuid primary key,
  state smallint not null default ${waiting},
  attempts int not null default 0,
  crashes int not null default 0,
  repeats int not null default 0,
  due_at timestamptz not null default now(),
  worker bigint,
  started_at timestamptz,
  finished_at timestamptz,
  key text collate "C",
  error text
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
create index work_due on ${schema}.work (due_at, id) where state = ${waiting};
create index work_suspect on ${schema}.work (due_at) where state = ${suspect};
create index work_suspect_key on ${schema}.work (key) where state = ${suspect};
create index work_waiting on ${schema}.work (id) where state in (${STATES_OF.waiting.join(', ')});
create index work_parked on ${schema}.work (key, id) where state = ${parked};
create index work_active on ${schema}.work (worker) where state = ${active};
create index work_dead on ${schema}.work (id) where state = ${dead};
create index work_finished on ${schema}.work (state, finished_at) where state in (${dead}, ${completed});
create table ${schema}.worker (
  id bigint primary key default floor(random() * 2 ^ 32),
  seen_at timestamptz not null default now(),
  is_paused boolean not null default false
) with (fillfactor = 10);
create table ${schema}.busy (key text collate "C" primary key, id uuid not null);
create table ${schema}.claimed (
  key text collate "C" primary key,
  claimed_at timestamptz not null default now()
);
create index claimed_at on ${schema}.claimed (claimed_at);
create table ${schema}.recent (
  signature bytea primary key,
  stored_at timestamptz not null,
  expires_at timestamptz not null
);
create index recent_stored on ${schema}.recent (stored_at);`
}
