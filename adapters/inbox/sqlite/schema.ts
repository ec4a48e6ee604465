/**
 * States of `work`, in the order of its index: ready entries are at its end, where rows are cheap to add.
 *
 * A `delayed` entry is due at `due_at`; a `ready` one since then, or since it arrived. A `parked` one is due as
 * well, but not looked at again until no other entry of its key is active. `started_at` is when an attempt
 * began, then when its result or a replay set `due_at`.
 */
export const STATE = {
  dead: 0,
  completed: 1,
  active: 2,
  delayed: 3,
  parked: 4,
  ready: 5,
} as const

/** Stored in the file. A change of the schema needs a new version, and a step that migrates older files. */
export const VERSION = 1

/**
 * `notification` is written once. `work` is its state, which changes often and is small, so that a change does
 * not write the body again. A trigger deletes both together. Row ids are never reused. `lasting_id` is only set
 * if an entry was stored with one, or came from another inbox; of the others, it follows from the file's `mark`
 * and the row id. `source` is only set if not the service, and `concurrency_key` if it is not the subject;
 * it is empty if the entry is not limited. `recent` has one row for each transaction, with its signatures and
 * the window of its process, and is pruned as that slides. `crashes` counts the consecutive attempts that ended
 * with a crash of their process, `repeats` the replays of a handled entry. `probe` is written by `health`.
 *
 * `busy_key` is the concurrency key that an active entry has to itself, or a parked one waits for; only set if
 * one is handled at a time. `indexed_subject` is set later, for many entries at once, up to the row
 * `file.indexed`: a put that had to find its place in the index would take up to twice as long.
 * `file.paused_at` is set while the inbox is paused. `body` and `error` are the last columns, as SQLite reads
 * through them to those that follow.
 */
export const SCHEMA = `
  create table notification (
    id integer primary key autoincrement,
    signature text not null,
    client_id text not null,
    received_at integer not null,
    subject text,
    concurrency_key text,
    source text,
    traceparent text,
    lasting_id text,
    body blob not null
  ) strict;
  create unique index notification_by_lasting_id on notification (lasting_id) where lasting_id is not null;
  create table work (
    id integer primary key,
    state integer not null,
    attempts integer not null default 0,
    crashes integer not null default 0,
    due_at integer,
    started_at integer,
    worker text,
    finished_at integer,
    repeats integer not null default 0,
    busy_key text,
    indexed_subject text,
    error text
  ) strict;
  create trigger work_deleted after delete on work begin
    delete from notification where id = old.id;
  end;
  create index work_by_state on work (state, id);
  create index work_by_due_at on work (due_at) where state = ${STATE.delayed};
  create index suspect_by_due_at on work (due_at) where state = ${STATE.delayed} and crashes >= 2;
  create index work_by_finished_at on work (state, finished_at) where finished_at is not null;
  create unique index active_by_key on work (busy_key)
    where state = ${STATE.active} and busy_key is not null;
  create index parked_by_key on work (busy_key) where state = ${STATE.parked};
  create index work_by_subject on work (indexed_subject) where indexed_subject is not null;
  create table file (
    mark text not null,
    indexed integer not null default 0,
    paused_at integer,
    pause_reason text
  ) strict;
  insert into file (mark) values (lower(hex(randomblob(4))));
  create table probe (bytes blob not null) strict;
  insert into probe values (x'');
  create table recent (
    id integer primary key,
    stored_at integer not null,
    window_ms integer not null,
    signatures text not null
  ) strict;
`
