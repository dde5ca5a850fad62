-- 0029: whose turn it is among bulk acts, also where items are passed over.

alter table bulk_act add column worked_at timestamptz;
comment on column bulk_act.worked_at is 'When the last item of it was worked off.';
