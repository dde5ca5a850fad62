-- 0032: circuits that are over only when something got through.

alter table circuit
  add column reason text not null default 'busy' check (reason in ('busy', 'traffic', 'unreachable')),
  add column probe boolean not null default false,
  add column probed_at timestamptz;
alter table circuit alter column reason drop default, alter column probe drop default;
comment on table circuit is 'Participants that are left alone: nothing is dispatched to them until then.';
comment on column circuit.level is 'Rises, and the delay with it, when it is the same again.';
comment on column circuit.reason is 'busy: too much to do. traffic: nothing left to pay the network with. unreachable: no connection.';
comment on column circuit.probe is 'Not over with its time: one effect at a time is let through, until one is answered as the reason allows.';
comment on column circuit.probed_at is 'When one was let through that is not answered yet.';

alter table effect add column put_off_by text;
comment on column effect.put_off_by is 'The participant whose circuit has moved its due time: due at once when that circuit closes.';
create index effect_put_off on effect (put_off_by) where put_off_by is not null;
