-- 0079: a pause reads effects in parts, in the order of an index.

-- Recording waits during each part, so each part must read a bounded number of effects, whether or not they are blocked.
create index effect_open on effect (id) where done_at is null and held_at is null;
drop index effect_held;
create index effect_held on effect (held_at, id) where held_at is not null;
