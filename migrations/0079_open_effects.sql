-- 0079: a pause reads effects in parts, in the order of an index.

-- Recording waits during each part, so each part must read a bounded number of effects, whether or not they are blocked.
-- Only the statement that blocks effects has the condition in this form: the relay's statements must not use this index.
create index effect_open on effect (id) where coalesce(done_at, held_at) is null;
drop index effect_held;
create index effect_held on effect (held_at, id) where held_at is not null;
