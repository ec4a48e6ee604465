create table outbox (
  key text primary key,
  email jsonb not null,
  sent_at timestamptz
);
