create table webhook_receipts (
  key text primary key,
  handled_at text not null default current_timestamp
) without rowid;
