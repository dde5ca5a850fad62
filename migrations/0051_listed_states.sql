-- 0051: a lifecycle is indexed under the state that it has when nothing of it is under way. So what begins and ends an
-- operation changes nothing that is indexed, and the row stays in its page. Those in a state that is under way are found
-- by the operation at the head of their lane.
--
-- Nothing else reads or writes lifecycles while this goes on. The table is written anew, without dead rows, and its
-- indexes are made anew by sorting: an update of each row would enter it in all of them one by one.

alter table lifecycle
  add column listed_as text,
  add column listed_version integer;
drop index lifecycle_age;
drop index lifecycle_list_state;
drop index lifecycle_ended_provider;
drop index lifecycle_ended_user;
alter table lifecycle
  alter column listed_as type text using state,
  alter column listed_as set not null,
  alter column listed_version type integer using version;
comment on column lifecycle.listed_as is
  'Its state, or the last one before what is under way. Where the two differ, a change at the head of its lane is about it.';
comment on column lifecycle.listed_version is
  'The version that listed_as was told with. One that is not version was written by a process that does not know them.';

-- What does not tell it is listed as it is: rows of a version before this one, and of hands.
create function list_lifecycle() returns trigger language plpgsql as $$
begin
  new.listed_as := new.state;
  new.listed_version := new.version;
  return new;
end $$;
create trigger list_lifecycle before insert or update on lifecycle for each row
  when (new.listed_version is distinct from new.version) execute function list_lifecycle();

create index lifecycle_age on lifecycle (provider, kind, listed_as, created_at, id) where ended_at is null;
create index lifecycle_list_state on lifecycle (kind, provider, listed_as, app_user, list_no, id) where ended_at is null;
create index lifecycle_ended_provider on lifecycle (kind, provider, listed_as, app_user, list_no, id)
  where ended_at is not null;
create index lifecycle_ended_user on lifecycle (kind, app_user, listed_as, list_no, id)
  where ended_at is not null and app_user <> '';
