create table if not exists webhook_receipts (
  key text primary key,
  handled_at timestamptz not null default now()
);

create table if not exists payment_history (
  payment_id text not null,
  status text not null,
  amount numeric,
  currency text,
  recorded_at timestamptz not null default now()
);
