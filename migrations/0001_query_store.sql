-- 0001: the query store. What the ledger has said, as rows, and the SQL functions under which readers of a
-- participant's own query store know it. The tables are private to the projector and to these functions: names,
-- arguments and columns of the functions stay, tables may change.

-- Where the projection of each stream stands. A row of a stream moves in the transaction that applies its elements,
-- so a reader never sees part of an update.
create table query_store_offset (
  stream         text        primary key
                             check (stream = 'updates' or stream ~ '^completions:.'),
  "offset"       bigint      not null check ("offset" >= 0),
  -- The state is complete from here on: 0 for the ledger's begin, else the offset of the snapshot we started from.
  oldest_offset  bigint      not null check (oldest_offset >= 0),
  -- The update at "offset", where it was one: tells our ledger from another one that has grown as long.
  update_id      text,
  record_time    timestamptz,
  check (oldest_offset <= "offset")
);

-- Every update that moved something of ours, also those that left no contract behind.
create table ledger_update (
  "offset"         bigint      primary key check ("offset" > 0),
  update_id        text        not null unique,
  -- When the synchronizer ordered it, and the ledger's own time in it. Updates other than transactions have no latter.
  record_time      timestamptz not null,
  effective_at     timestamptz,
  workflow_id      text,
  -- Known only when a party that we read as has submitted it.
  command_id       text,
  synchronizer_id  text        not null
);
create index ledger_update_effective on ledger_update (effective_at);

-- Templates and interfaces by package name: package ids change with every build. A row exists as soon as the type is
-- known, so that asking for contracts nobody has created yet is no mistake.
create table template (
  template_fqn  text primary key check (template_fqn = package_name || ':' || module_name || ':' || entity_name),
  package_name  text not null,
  module_name   text not null,
  entity_name   text not null,
  payload_type  text not null check (payload_type in ('template', 'interface'))
);

-- One row per contract, and one more for each of its interface views, which differ in template and payload only.
create table contract (
  contract_id            text        not null,
  template_fqn           text        not null references template,
  payload                jsonb       not null,
  signatories            text[]      not null default '{}',
  observers              text[]      not null default '{}',
  witnesses              text[]      not null default '{}',
  -- No party that we read as has a stake in it. Such a contract is known, but never active: its archival is not told.
  divulged_only          boolean     not null default false,
  package_id             text        not null,
  package_name           text        not null,
  created_at_offset      bigint      not null,
  created_node_id        integer     not null,
  created_effective_at   timestamptz not null,
  archived_at_offset     bigint,
  archived_node_id       integer,
  archived_effective_at  timestamptz,
  created_event_blob     bytea,
  primary key (contract_id, template_fqn),
  -- A contract may end in the very transaction that creates it.
  check (archived_at_offset >= created_at_offset),
  check (num_nulls(archived_at_offset, archived_node_id, archived_effective_at) in (0, 3))
);
-- What is active, by template and by the two parties of a licence. Small whatever the history.
create index contract_active_provider on contract (template_fqn, (payload ->> 'provider'))
  where archived_at_offset is null and not divulged_only;
create index contract_active_user on contract (template_fqn, (payload ->> 'user'))
  where archived_at_offset is null and not divulged_only;
create index contract_created on contract (created_at_offset);
create index contract_archived on contract (archived_at_offset) where archived_at_offset is not null;

create table exercise (
  "offset"                 bigint      not null,
  node_id                  integer     not null,
  contract_id              text        not null,
  template_fqn             text        not null references template,
  choice                   text        not null,
  argument                 jsonb       not null,
  result                   jsonb,
  controllers              text[]      not null default '{}',
  consuming                boolean     not null,
  -- Nodes after node_id up to this one happened inside this exercise.
  last_descendant_node_id  integer     not null,
  effective_at             timestamptz not null,
  package_name             text        not null,
  witnesses                text[]      not null default '{}',
  primary key ("offset", node_id),
  check (last_descendant_node_id >= node_id)
);
create index exercise_contract on exercise (contract_id);
create index exercise_choice on exercise (template_fqn, choice, "offset");

-- The choices that have been exercised, for names. Kept by the trigger, so that nobody can forget to.
create table choice (
  template_fqn  text not null references template,
  choice        text not null,
  primary key (template_fqn, choice)
);

create function query_store_learn_choices() returns trigger
language plpgsql as $$
begin
  insert into choice (template_fqn, choice)
    select distinct e.template_fqn, e.choice from exercised e
    where not exists (select from choice c where c.template_fqn = e.template_fqn and c.choice = e.choice)
    on conflict do nothing;
  return null;
end
$$;
create trigger exercise_teaches_choices after insert on exercise
  referencing new table as exercised for each statement execute function query_store_learn_choices();

create view transactions as
  select "offset" as ix,
         "offset",
         update_id as transaction_id,
         effective_at,
         workflow_id,
         command_id,
         record_time,
         synchronizer_id
  from ledger_update;
comment on view transactions is 'Metadata of updates. ix orders like the *_at_ix columns and joins with them.';

-- Rows that the functions return. Columns keep the names and the order in which readers know them.
create type event_id as ("offset" bigint, node_id integer);

create type contract_row as (
  template_fqn           text,
  payload_type           text,
  create_event_id        event_id,
  created_at_ix          bigint,
  created_at_offset      bigint,
  archive_event_id       event_id,
  archived_at_ix         bigint,
  archived_at_offset     bigint,
  life_ix                int8range,
  contract_id            text,
  payload                jsonb,
  metadata               bytea,
  created_effective_at   timestamptz,
  archived_effective_at  timestamptz,
  package_name           text,
  package_id             text,
  signatories            text[],
  observers              text[],
  witnesses              text[],
  divulged_only          boolean
);

create type exercise_row as (
  template_fqn             text,
  payload_type             text,
  choice_fqn               text,
  choice                   text,
  consuming                boolean,
  exercise_event_id        event_id,
  exercised_at_ix          bigint,
  exercised_at_offset      bigint,
  exercised_effective_at   timestamptz,
  contract_id              text,
  argument                 jsonb,
  result                   jsonb,
  package_name             text,
  controllers              text[],
  witnesses                text[],
  last_descendant_node_id  integer
);

-- Offsets ------------------------------------------------------------------------------------------------------------

create function latest_offset() returns bigint
language plpgsql stable parallel safe as $$
begin
  -- A pin from before the store was reset is beyond it now, and counts for nothing.
  return (
    select least(nullif(current_setting('tenure.latest_offset', true), '')::bigint, o."offset")
    from query_store_offset o
    where o.stream = 'updates'
  );
end
$$;
comment on function latest_offset() is 'Newest offset that this session reads; null when nothing has been projected.';

create function oldest_offset() returns bigint
language plpgsql stable parallel safe as $$
begin
  return (
    select greatest(nullif(current_setting('tenure.oldest_offset', true), '')::bigint, o.oldest_offset)
    from query_store_offset o
    where o.stream = 'updates'
  );
end
$$;
comment on function oldest_offset() is 'Oldest offset that this session reads; null when nothing has been projected.';

create function validate_offset_exists("offset" bigint) returns bigint
language plpgsql stable strict parallel safe as $$
declare
  known record;
begin
  select o.oldest_offset as oldest, o."offset" as latest into known from query_store_offset o where o.stream = 'updates';
  if not found then
    raise exception 'Offset % is not available: nothing has been projected', "offset"
      using errcode = 'object_not_in_prerequisite_state';
  elsif "offset" > known.latest then
    raise exception 'Offset % is after the latest projected offset %', "offset", known.latest
      using errcode = 'object_not_in_prerequisite_state';
  elsif "offset" < known.oldest then
    raise exception 'Offset % is before the oldest projected offset %', "offset", known.oldest
      using errcode = 'object_not_in_prerequisite_state';
  end if;
  return "offset";
end
$$;
comment on function validate_offset_exists(bigint) is 'The offset itself, or an error if history does not reach it.';

create function set_latest("offset" bigint) returns bigint
language plpgsql volatile as $$
begin
  perform set_config('tenure.latest_offset', coalesce(validate_offset_exists("offset")::text, ''), false);
  return latest_offset();
end
$$;
comment on function set_latest(bigint) is
  'Pins the newest offset that this session reads, so that several queries see one state; null unpins.';

create function set_oldest("offset" bigint) returns bigint
language plpgsql volatile as $$
begin
  perform set_config('tenure.oldest_offset', coalesce(validate_offset_exists("offset")::text, ''), false);
  return oldest_offset();
end
$$;
comment on function set_oldest(bigint) is
  'Sets the oldest offset that creates, archives and exercises of this session start from; null unsets.';

create function nearest_offset("time" timestamptz) returns bigint
language sql stable strict parallel safe as $$
  select max(u."offset") from ledger_update u where u.effective_at <= "time" and u."offset" <= latest_offset()
$$;
comment on function nearest_offset(timestamptz) is 'Newest offset whose ledger time is not after the given time.';

create function nearest_offset(ago interval) returns bigint
language sql stable strict parallel safe as $$
  select nearest_offset(now() - ago)
$$;
comment on function nearest_offset(interval) is 'Newest offset whose ledger time is at least the given interval ago.';

-- Used as a condition without columns: evaluated once per query, before any row is read.
create function query_store_reads(from_offset bigint, to_offset bigint) returns boolean
language plpgsql stable parallel safe as $$
begin
  if to_offset > latest_offset() then
    raise exception 'Offset % is after the latest offset %', to_offset, latest_offset()
      using errcode = 'object_not_in_prerequisite_state';
  elsif from_offset < oldest_offset() then
    raise exception 'Offset % is before the oldest offset %', from_offset, oldest_offset()
      using errcode = 'object_not_in_prerequisite_state';
  end if;
  return true;
end
$$;

-- Names --------------------------------------------------------------------------------------------------------------

-- Templates that a name can mean: package:Module:Entity, Module:Entity or Entity.
create function query_store_templates(qname text) returns setof template
language sql stable parallel safe rows 1 as $$
  select t.*
  from template t
  where case
          when qname like '%:%:%' then t.template_fqn = qname
          when qname like '%:%' then t.module_name || ':' || t.entity_name = qname
          else t.entity_name = qname
        end
$$;

-- The one template of that name. Null for null.
create function query_store_template(qname text) returns text
language plpgsql stable strict parallel safe as $$
declare
  found_fqns text[] := array(select t.template_fqn from query_store_templates(qname) t);
begin
  case cardinality(found_fqns)
    when 1 then return found_fqns[1];
    when 0 then raise exception 'Identifier not found: %', qname using errcode = 'undefined_object';
    else raise exception 'Ambiguous identifier: %', qname using errcode = 'ambiguous_alias';
  end case;
end
$$;

-- What a name of exercises means: a template and one of its choices, or null for all of them. Accepts any name of a
-- template, that with ":Choice" behind it, and "Module:Choice" or "Choice" alone where only one template has it. As
-- choices are learnt from exercises, one that was never exercised is known by its template only, and counts when the
-- name means nothing else.
create function query_store_choice(qname text, out template_fqn text, out choice text)
language plpgsql stable strict parallel safe as $$
declare
  -- 'a:b:C' is 'a:b' and 'C'
  last_part text := split_part(qname, ':', -1);
  before_last text := rtrim(left(qname, length(qname) - length(last_part)), ':');
  known text[];
  unheard text[];
  meanings text[];
begin
  known := array(
    select t.template_fqn from query_store_templates(qname) t
    union
    select c.template_fqn || ':' || c.choice
    from choice c join template t on t.template_fqn = c.template_fqn
    where c.choice = last_part
      and (before_last in ('', t.module_name, t.package_name || ':' || t.module_name)
           or t.template_fqn in (select n.template_fqn from query_store_templates(before_last) n))
  );
  unheard := array(select t.template_fqn || ':' || last_part from query_store_templates(before_last) t);
  meanings := case when cardinality(known) > 0 then known else unheard end;
  case cardinality(meanings)
    when 1 then
      template_fqn := array_to_string((string_to_array(meanings[1], ':'))[1:3], ':');
      choice := (string_to_array(meanings[1], ':'))[4];
    when 0 then raise exception 'Identifier not found: %', qname using errcode = 'undefined_object';
    else raise exception 'Ambiguous identifier: %', qname using errcode = 'ambiguous_alias';
  end case;
end
$$;

-- Contracts ----------------------------------------------------------------------------------------------------------

-- These functions are written to be merged into the query that calls them, so that its conditions use our indexes.
-- Hence: one plain select; and names and offsets resolved in sub-selects, once per query rather than once per row.
-- A name is resolved in a condition of its own as well, because a sub-select is not evaluated when there is no row to
-- compare it with, and a wrong name must be an error even then.

create function active(qname text default null, at_offset bigint default latest_offset())
returns setof contract_row
language sql stable parallel safe as $$
  -- Still active: found by the indexes of what is active. Nearly all of those were created before the offset, so that
  -- condition must not choose the index; the + 0 keeps it from doing so.
  select c.template_fqn, t.payload_type,
         row(c.created_at_offset, c.created_node_id)::event_id, c.created_at_offset, c.created_at_offset,
         null::event_id, null::bigint, null::bigint,
         int8range(c.created_at_offset, null),
         c.contract_id, c.payload, c.created_event_blob,
         c.created_effective_at, null::timestamptz,
         c.package_name, c.package_id, c.signatories, c.observers, c.witnesses, c.divulged_only
  from contract c left join template t on t.template_fqn = c.template_fqn
  where query_store_reads(at_offset, at_offset)
    and (qname is null or query_store_template(qname) is not null)
    and (qname is null or c.template_fqn = (select query_store_template(qname)))
    and not c.divulged_only
    and c.archived_at_offset is null
    and c.created_at_offset + 0 <= (select at_offset)
  union all
  -- Archived since: none when asked for the latest offset, and few when asked for a recent one. The one comparison
  -- without a sub-select, so that the planner can estimate it and take the index of what is archived.
  select c.template_fqn, t.payload_type,
         row(c.created_at_offset, c.created_node_id)::event_id, c.created_at_offset, c.created_at_offset,
         case when a.told then row(c.archived_at_offset, c.archived_node_id)::event_id end,
         case when a.told then c.archived_at_offset end, case when a.told then c.archived_at_offset end,
         int8range(c.created_at_offset, case when a.told then c.archived_at_offset end),
         c.contract_id, c.payload, c.created_event_blob,
         c.created_effective_at, case when a.told then c.archived_effective_at end,
         c.package_name, c.package_id, c.signatories, c.observers, c.witnesses, c.divulged_only
  from contract c left join template t on t.template_fqn = c.template_fqn
    cross join lateral (select c.archived_at_offset <= (select latest_offset()) as told) a
  where query_store_reads(at_offset, at_offset)
    and (qname is null or query_store_template(qname) is not null)
    and (qname is null or c.template_fqn = (select query_store_template(qname)))
    and not c.divulged_only
    and c.archived_at_offset > at_offset
    and c.created_at_offset <= (select at_offset)
$$;
comment on function active(text, bigint) is
  'Contracts and interface views that were active at the offset. Archivals after latest_offset() are not told.';

create function creates(
  qname text default null,
  from_offset bigint default oldest_offset(),
  to_offset bigint default latest_offset()
) returns setof contract_row
language sql stable parallel safe as $$
  select c.template_fqn, t.payload_type,
         row(c.created_at_offset, c.created_node_id)::event_id, c.created_at_offset, c.created_at_offset,
         case when a.told then row(c.archived_at_offset, c.archived_node_id)::event_id end,
         case when a.told then c.archived_at_offset end, case when a.told then c.archived_at_offset end,
         int8range(c.created_at_offset, case when a.told then c.archived_at_offset end),
         c.contract_id, c.payload, c.created_event_blob,
         c.created_effective_at, case when a.told then c.archived_effective_at end,
         c.package_name, c.package_id, c.signatories, c.observers, c.witnesses, c.divulged_only
  from contract c left join template t on t.template_fqn = c.template_fqn
    cross join lateral (select c.archived_at_offset <= (select latest_offset()) as told) a
  where query_store_reads(from_offset, to_offset)
    and (qname is null or query_store_template(qname) is not null)
    and (qname is null or c.template_fqn = (select query_store_template(qname)))
    and c.created_at_offset >= (select from_offset)
    and c.created_at_offset <= (select to_offset)
$$;
comment on function creates(text, bigint, bigint) is 'Contracts and interface views created in the range, both ends included.';

create function archives(
  qname text default null,
  from_offset bigint default oldest_offset(),
  to_offset bigint default latest_offset()
) returns setof contract_row
language sql stable parallel safe as $$
  select c.template_fqn, t.payload_type,
         row(c.created_at_offset, c.created_node_id)::event_id, c.created_at_offset, c.created_at_offset,
         row(c.archived_at_offset, c.archived_node_id)::event_id, c.archived_at_offset, c.archived_at_offset,
         int8range(c.created_at_offset, c.archived_at_offset),
         c.contract_id, c.payload, c.created_event_blob,
         c.created_effective_at, c.archived_effective_at,
         c.package_name, c.package_id, c.signatories, c.observers, c.witnesses, c.divulged_only
  from contract c left join template t on t.template_fqn = c.template_fqn
  where query_store_reads(from_offset, to_offset)
    and (qname is null or query_store_template(qname) is not null)
    and (qname is null or c.template_fqn = (select query_store_template(qname)))
    and c.archived_at_offset >= (select from_offset)
    and c.archived_at_offset <= (select to_offset)
$$;
comment on function archives(text, bigint, bigint) is 'Contracts and interface views archived in the range, both ends included.';

create function lookup_contract(contract_id text, qname text default null) returns setof contract_row
language sql stable parallel safe as $$
  select c.template_fqn, t.payload_type,
         row(c.created_at_offset, c.created_node_id)::event_id, c.created_at_offset, c.created_at_offset,
         case when a.told then row(c.archived_at_offset, c.archived_node_id)::event_id end,
         case when a.told then c.archived_at_offset end, case when a.told then c.archived_at_offset end,
         int8range(c.created_at_offset, case when a.told then c.archived_at_offset end),
         c.contract_id, c.payload, c.created_event_blob,
         c.created_effective_at, case when a.told then c.archived_effective_at end,
         c.package_name, c.package_id, c.signatories, c.observers, c.witnesses, c.divulged_only
  from contract c left join template t on t.template_fqn = c.template_fqn
    cross join lateral (select c.archived_at_offset <= (select latest_offset()) as told) a
  where (qname is null or query_store_template(qname) is not null)
    and (qname is null or c.template_fqn = (select query_store_template(qname)))
    and c.contract_id = lookup_contract.contract_id
    and c.created_at_offset <= (select latest_offset())
$$;
comment on function lookup_contract(text, text) is
  'A contract and its interface views by contract ID, also when archived or only divulged.';

-- Exercises ----------------------------------------------------------------------------------------------------------

create function exercises(
  qname text default null,
  from_offset bigint default oldest_offset(),
  to_offset bigint default latest_offset()
) returns setof exercise_row
language sql stable parallel safe as $$
  select e.template_fqn, t.payload_type, e.template_fqn || ':' || e.choice, e.choice, e.consuming,
         row(e."offset", e.node_id)::event_id, e."offset", e."offset", e.effective_at,
         e.contract_id, e.argument, e.result, e.package_name, e.controllers, e.witnesses, e.last_descendant_node_id
  from exercise e left join template t on t.template_fqn = e.template_fqn
  where query_store_reads(from_offset, to_offset)
    and (qname is null or (query_store_choice(qname)).template_fqn is not null)
    and (qname is null or e.template_fqn = (select n.template_fqn from query_store_choice(qname) n))
    and (qname is null or e.choice = coalesce((select n.choice from query_store_choice(qname) n), e.choice))
    and e."offset" >= (select from_offset)
    and e."offset" <= (select to_offset)
$$;
comment on function exercises(text, bigint, bigint) is 'Choices exercised in the range, both ends included.';

create function lookup_exercises(contract_id text, qname text default null) returns setof exercise_row
language sql stable parallel safe as $$
  select e.template_fqn, t.payload_type, e.template_fqn || ':' || e.choice, e.choice, e.consuming,
         row(e."offset", e.node_id)::event_id, e."offset", e."offset", e.effective_at,
         e.contract_id, e.argument, e.result, e.package_name, e.controllers, e.witnesses, e.last_descendant_node_id
  from exercise e left join template t on t.template_fqn = e.template_fqn
  where (qname is null or (query_store_choice(qname)).template_fqn is not null)
    and (qname is null or e.template_fqn = (select n.template_fqn from query_store_choice(qname) n))
    and (qname is null or e.choice = coalesce((select n.choice from query_store_choice(qname) n), e.choice))
    and e.contract_id = lookup_exercises.contract_id
    and e."offset" <= (select latest_offset())
$$;
comment on function lookup_exercises(text, text) is 'Choices exercised on a contract, by contract ID.';

-- Parties and counts -------------------------------------------------------------------------------------------------

create function stakeholders(of contract_row) returns text[]
language sql immutable parallel safe as $$
  select array(select unnest(of.signatories) union select unnest(of.observers) order by 1)
$$;
comment on function stakeholders(contract_row) is 'Signatories and observers of a contract, each once.';

create function summary_active(at_offset bigint default latest_offset())
returns table (template_fqn text, payload_type text, count bigint)
language sql stable parallel safe as $$
  select a.template_fqn, a.payload_type, count(*) from active(null, at_offset) a group by 1, 2
$$;
comment on function summary_active(bigint) is 'Number of contracts per template that were active at the offset.';

create function summary_creates(
  from_offset bigint default oldest_offset(), to_offset bigint default latest_offset()
) returns table (template_fqn text, payload_type text, count bigint)
language sql stable parallel safe as $$
  select c.template_fqn, c.payload_type, count(*) from creates(null, from_offset, to_offset) c group by 1, 2
$$;
comment on function summary_creates(bigint, bigint) is 'Number of creates per template in the range.';

create function summary_archives(
  from_offset bigint default oldest_offset(), to_offset bigint default latest_offset()
) returns table (template_fqn text, payload_type text, count bigint)
language sql stable parallel safe as $$
  select a.template_fqn, a.payload_type, count(*) from archives(null, from_offset, to_offset) a group by 1, 2
$$;
comment on function summary_archives(bigint, bigint) is 'Number of archivals per template in the range.';

create function summary_transients(
  from_offset bigint default oldest_offset(), to_offset bigint default latest_offset()
) returns table (template_fqn text, payload_type text, count bigint)
language sql stable parallel safe as $$
  select a.template_fqn, a.payload_type, count(*)
  from archives(null, from_offset, to_offset) a
  where a.created_at_offset >= from_offset
  group by 1, 2
$$;
comment on function summary_transients(bigint, bigint) is
  'Number of contracts per template that were both created and archived in the range.';

create function summary_exercises(
  from_offset bigint default oldest_offset(), to_offset bigint default latest_offset()
) returns table (template_fqn text, choice text, count bigint)
language sql stable parallel safe as $$
  select e.template_fqn, e.choice, count(*) from exercises(null, from_offset, to_offset) e group by 1, 2
$$;
comment on function summary_exercises(bigint, bigint) is 'Number of exercises per template and choice in the range.';

create function summary_updates(
  from_offset bigint default oldest_offset(), to_offset bigint default latest_offset()
) returns table (template_fqn text, payload_type text, creates bigint, archives bigint)
language sql stable parallel safe as $$
  select t.template_fqn, t.payload_type, coalesce(c.count, 0), coalesce(a.count, 0)
  from template t
    left join summary_creates(from_offset, to_offset) c on c.template_fqn = t.template_fqn
    left join summary_archives(from_offset, to_offset) a on a.template_fqn = t.template_fqn
  where c.count is not null or a.count is not null
$$;
comment on function summary_updates(bigint, bigint) is 'Numbers of creates and archivals per template in the range.';
