/**
 * States of `work`, in the order of its index: waiting entries are at its end, where rows are cheap to add.
 *
 * A `ready` entry is due at once, and a `delayed` one at `due_at`. The public state of both is waiting.
 */
export const STATE = { dead: 0, completed: 1, active: 2, delayed: 3, ready: 4 } as const

/** Stored in the file. A change of the schema needs a new version, and a step that migrates older files. */
export const VERSION = 1

/**
 * `notification` is written once. `work` is its state, which changes often and is small, so that a change does
 * not write the body again. Row ids are never reused. `lasting_id` is only set when an entry moves to another
 * inbox. `recent` has one row for each transaction, with its signatures: the window for duplicates, pruned
 * as it slides. `crashes` counts the consecutive attempts that ended with a crash of their process, `cut_offs`
 * those that `stop()` cut off.
 */
export const SCHEMA = `
  create table notification (
    id integer primary key autoincrement,
    signature text not null,
    client_id text not null,
    received_at integer not null,
    body blob not null,
    lasting_id text
  ) strict;
  create unique index notification_by_lasting_id on notification (lasting_id) where lasting_id is not null;
  create table work (
    id integer primary key,
    state integer not null,
    attempts integer not null default 0,
    crashes integer not null default 0,
    cut_offs integer not null default 0,
    due_at integer,
    worker text,
    error text,
    finished_at integer
  ) strict;
  create index work_by_state on work (state, id);
  create index work_by_due_at on work (due_at) where due_at is not null;
  create index suspect_by_due_at on work (due_at) where crashes >= 2 and due_at is not null;
  create index work_by_finished_at on work (state, finished_at) where finished_at is not null;
  create table recent (
    id integer primary key,
    stored_at integer not null,
    signatures text not null
  ) strict;
`
