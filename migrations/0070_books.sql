-- 0070: payments with the numbers of their receipts, and the roll-ups that statistics read.

create table payment (
  renewal_id text collate "C" primary key,
  contract_id text not null unique,
  request_id text not null,
  provider text not null,
  app_user text collate "C" not null,
  license_id text collate "C",
  license_num bigint not null,
  plan_id text collate "C",
  plan_version integer,
  amount numeric(38, 10) not null,
  instrument_admin text not null,
  instrument text not null,
  extension_ms bigint not null,
  description text not null,
  state text not null check (state in ('requested', 'allocated', 'settled', 'withdrawn', 'rejected')),
  requested_at timestamptz not null,
  requested_offset bigint not null,
  requested_node integer not null,
  request_update_id text,
  settle_before timestamptz not null,
  ended_at timestamptz,
  ended_offset bigint,
  ended_node integer,
  update_id text,
  valid_from timestamptz,
  valid_until timestamptz,
  receipt_no bigint check (receipt_no >= 1),
  constraint payment_receipt unique (provider, receipt_no),
  constraint payment_plan_is_whole check ((plan_id is null) = (plan_version is null)),
  constraint payment_end_is_whole check (num_nulls(ended_at, ended_offset, ended_node) in (0, 3)),
  constraint payment_has_ended check ((state in ('requested', 'allocated')) = (ended_at is null)),
  constraint payment_receipt_is_of_settled check (receipt_no is null or state = 'settled')
) with (fillfactor = 80);
create index payment_of_provider on payment (provider, requested_offset, requested_node);
create index payment_of_user on payment (app_user, requested_offset, requested_node);
create index payment_in_state on payment (provider, state, requested_offset, requested_node);
create index payment_request on payment (request_id) where ended_at is null;
create index payment_window on payment (provider, settle_before) where state <> 'settled';
create index payment_until on payment (provider, valid_until) where valid_until is not null;
create index payment_without_receipt on payment (ended_offset, ended_node) where state = 'settled' and receipt_no is null;
comment on table payment is 'One for each renewal that was ever projected: what was asked for, and what came of it. It refers to no lifecycle, because it outlives a projection that is built anew.';
comment on column payment.plan_id is 'The plan that the description names, else the plan of the licence when the payment was read.';
comment on column payment.requested_offset is 'With requested_node the place on the ledger, the order of lists.';
comment on column payment.ended_offset is 'With ended_node the place on the ledger, the order of receipts.';
comment on column payment.valid_from is 'Settled ones: the payment is for the time from here until valid_until.';
comment on column payment.receipt_no is 'Counts the settled payments of the provider in the order of the ledger. Given once. Null: not given yet, or not settled.';

create table license_tally (
  provider text not null,
  at timestamptz not null,
  began integer not null default 0,
  ended integer not null default 0,
  active integer not null default 0,
  past_due integer not null default 0,
  trial integer not null default 0,
  not_started integer not null default 0,
  expiring integer not null default 0,
  due integer not null default 0,
  renewed integer not null default 0,
  constraint license_tally_pkey primary key (provider, at)
) with (fillfactor = 70);
comment on table license_tally is 'By how much the number of licences of each kind changes in a quarter of an hour, also by what will pass as things are. Sums of it are the numbers at any time.';
comment on column license_tally.at is 'The beginning of the quarter of an hour: days and months of every time zone begin with one.';
comment on column license_tally.due is 'Paid times that end in the quarter; renewed counts those of them that were followed by another.';

create table revenue_tally (
  provider text not null,
  at timestamptz not null,
  instrument_admin text not null,
  instrument text not null,
  plan_id text collate "C" not null,
  payments integer not null default 0,
  amount numeric not null default 0,
  recurring numeric not null default 0,
  constraint revenue_tally_pkey primary key (provider, at, instrument_admin, instrument, plan_id)
) with (fillfactor = 70);
comment on table revenue_tally is 'Settled payments of a quarter of an hour, counted with their receipt numbers.';
comment on column revenue_tally.plan_id is 'Empty where the payment has no plan.';
comment on column revenue_tally.recurring is 'By how much the revenue of 30 days changes: a payment counts for the time that it is for.';

create table book_cursor (
  is_only boolean primary key default true check (is_only),
  read_to bigint not null default 0 check (read_to >= 0),
  rebuilt_at timestamptz,
  reminded_to timestamptz
);
comment on table book_cursor is 'How far the projection was read into payments and roll-ups.';
comment on column book_cursor.rebuilt_at is 'The rebuild of the projection after which licences were last counted from the beginning.';
comment on column book_cursor.reminded_to is 'Ledger time. Everything due until then was told. Null: nothing was, and nothing of before will be.';
insert into book_cursor default values;
