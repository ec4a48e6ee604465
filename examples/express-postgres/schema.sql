create table if not exists payment_history (
  payment_id text not null,
  status text not null,
  amount numeric,
  currency text,
  recorded_at timestamptz not null default now()
);
