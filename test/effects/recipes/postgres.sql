create table webhook_receipts (
  key text primary key,
  handled_at timestamptz not null default now()
);
