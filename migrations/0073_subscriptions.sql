-- 0073: licences that renew themselves.

create table subscription (
  lifecycle_id text collate "C" primary key check (lifecycle_id <> ''),
  provider text not null check (provider <> ''),
  app_user text collate "C" not null,
  plan_id text collate "C",
  offer_before_ms bigint not null check (offer_before_ms >= 0),
  tries integer not null check (tries >= 1),
  ends_unpaid boolean not null,
  cancelled_at timestamptz,
  version integer not null default 1 check (version >= 1),
  anchor timestamptz,
  offer_id text,
  due_at timestamptz default '-infinity',
  wakes bigint not null default 0
);
create index subscription_due on subscription (provider, due_at, lifecycle_id) where due_at is not null;
create index subscription_offered on subscription (provider, lifecycle_id) where offer_id is not null;
create index subscription_of_provider on subscription (provider, lifecycle_id);
create index subscription_of_user on subscription (app_user, lifecycle_id);
comment on table subscription is 'What a provider decided about a licence that renews itself. Its state is not stored: it follows from the ledger. It refers to no lifecycle, because it outlives a projection that is built anew.';
comment on column subscription.plan_id is 'The plan whose newest version is offered. Null: the plan of the licence.';
comment on column subscription.anchor is 'From which boundaries of calendar periods are counted.';
comment on column subscription.offer_id is 'The request ID of the open offer, by which the allocation that pays it is found.';
comment on column subscription.due_at is 'Ledger time from which there may be something to do. Null: not before a fact of the ledger or a person changes something.';
comment on column subscription.wakes is 'Rises with every such change, so that the result of an older look is not kept.';

create function wake_subscription() returns trigger language plpgsql as $$
begin
  update subscription s set due_at = '-infinity', wakes = s.wakes + 1
  where s.lifecycle_id = case when new.kind = 'license' then new.id else new.origin_id end;
  return null;
end $$;

create function wake_recorded_subscription() returns trigger language plpgsql as $$
begin
  update subscription s set due_at = '-infinity', wakes = s.wakes + 1 where s.lifecycle_id = new.lifecycle_id;
  return null;
end $$;

create trigger wake_subscription after update on lifecycle for each row
  when (new.kind in ('license', 'renewal')
    and (old.ended_at is distinct from new.ended_at or old.expires_at is distinct from new.expires_at))
  execute function wake_subscription();
create trigger wake_recorded_subscription after update on license_record for each row
  when (old.suspended_at is distinct from new.suspended_at or old.plan_id is distinct from new.plan_id)
  execute function wake_recorded_subscription();
