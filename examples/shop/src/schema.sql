create table if not exists orders (
  payment_id text primary key,
  total numeric not null,
  currency text not null,
  status text not null default 'open'
);

create table if not exists ledger (
  payment_id text not null,
  amount numeric not null,
  posted_at timestamptz not null default now()
);
