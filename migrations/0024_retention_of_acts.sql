-- 0024: deliveries and bulk acts that are finished and old are pruned.

create index delivery_finished on delivery (finished_at) where finished_at is not null;
create index bulk_act_finished on bulk_act (finished_at) where finished_at is not null;
