-- 0071: what was told of licences because of the time, once for each cause.

create table reminder (
  lifecycle_id text collate "C" not null,
  cause text not null check (cause <> ''),
  due_at timestamptz not null,
  told_at timestamptz not null default now(),
  constraint reminder_pkey primary key (lifecycle_id, cause, due_at)
);
create index reminder_old on reminder (due_at);
comment on table reminder is 'A row keeps the cause from being told twice. Old rows go: nothing that was due so long ago is looked for.';
comment on column reminder.cause is 'expired, renewal-unpaid, or expiring and the number of days.';
