-- 0058: rows of the audit log name people by pseudonyms, are chained by hashes, and are only added.

create table person (
  pseudonym text primary key check (pseudonym ~ '^person:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'),
  subject text not null,
  party text not null check (party <> ''),
  unique (subject, party)
);
comment on table person is 'Who stands behind a pseudonym of the audit log. The erasure of a person deletes the row.';

-- A trigger, so that rows of the previous version have pseudonyms too. A copy of a row keeps its pseudonym.
create function audit_by_pseudonym() returns trigger language plpgsql as $$
declare
  known text;
begin
  if new.by_subject ~ '^person:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then return new; end if;
  loop
    select p.pseudonym into known from person p where p.subject = new.by_subject and p.party = new.by_party;
    exit when found;
    insert into person (pseudonym, subject, party)
    values ('person:' || gen_random_uuid(), new.by_subject, new.by_party) on conflict do nothing;
  end loop;
  new.by_subject := known;
  return new;
end $$;

insert into person (pseudonym, subject, party)
select 'person:' || gen_random_uuid(), a.by_subject, a.by_party
from (select distinct by_subject, by_party from audit) a;
update audit a set by_subject = p.pseudonym from person p
where p.subject = a.by_subject and p.party = a.by_party;
create trigger audit_by_pseudonym before insert on audit
  for each row execute function audit_by_pseudonym();
comment on column audit.by_subject is 'The pseudonym of the identity behind the party: see person.';

create table audit_link (
  seq bigint primary key check (seq > 0),
  audit_id bigint not null unique,
  hash bytea not null check (length(hash) = 32),
  chained_at timestamptz not null default now()
);
comment on table audit_link is 'The place of each row of the audit log in the chain, without holes, in the order in which the sequencer saw the commits.';
comment on column audit_link.hash is 'SHA-256 of the hash before it and of the row.';

create table audit_chain (
  is_only boolean primary key default true check (is_only),
  last_seq bigint not null default 0 check (last_seq >= deleted_seq),
  last_hash bytea not null default decode(repeat('00', 32), 'hex') check (length(last_hash) = 32),
  settled_id bigint not null default 0,
  deleted_seq bigint not null default 0 check (deleted_seq >= 0),
  deleted_hash bytea not null default decode(repeat('00', 32), 'hex') check (length(deleted_hash) = 32),
  deleted_until timestamptz
);
comment on table audit_chain is 'Both ends of the chain.';
comment on column audit_chain.settled_id is 'The sequencer looks for rows with greater IDs only: it has seen all others for longer than any transaction lasts.';
comment on column audit_chain.deleted_hash is 'The hash of the last row that retention deleted: the chain begins with it.';
insert into audit_chain default values;

-- Retention moves the beginning of the chain first, and then deletes the rows before the beginning.
create function refuse_audit_write() returns trigger language plpgsql as $$
declare
  place bigint;
begin
  if tg_op = 'DELETE' then
    if tg_table_name = 'audit_link' then
      place := old.seq;
    else
      select l.seq into place from audit_link l where l.audit_id = old.id;
    end if;
    if place <= (select c.deleted_seq from audit_chain c) then return old; end if;
  end if;
  raise exception 'rows of % are only added', tg_table_name using errcode = 'TN003';
end $$;
comment on function refuse_audit_write() is 'Raises TN003, unless retention has moved the beginning of the chain past the row.';
create trigger audit_is_kept before update or delete on audit
  for each row execute function refuse_audit_write();
create trigger audit_is_not_emptied before truncate on audit
  for each statement execute function refuse_audit_write();
create trigger audit_link_is_kept before update or delete on audit_link
  for each row execute function refuse_audit_write();
create trigger audit_link_is_not_emptied before truncate on audit_link
  for each statement execute function refuse_audit_write();
comment on table audit is 'What persons did, and why. Rows are only added, and only retention deletes them, from the beginning of the chain on.';

-- A trigger, because a session ends in many ways: signed out, replaced, idle, over, with its tenant, by an operator.
create function audit_session() returns trigger language plpgsql as $$
declare
  it session := case tg_op when 'INSERT' then new else old end;
begin
  insert into audit (at, by_party, by_subject, act, subject, reason, detail, of_party)
  values (now(), it.party, it.subject, case tg_op when 'INSERT' then 'signed-in' else 'session-ended' end,
    'tenant:' || it.tenant_id, case tg_op when 'INSERT' then 'a session began' else 'a session ended' end,
    jsonb_build_object('session', left(encode(it.id_hash, 'hex'), 16), 'roles', to_jsonb(it.roles)), it.party);
  return null;
end $$;
create trigger audit_session after insert or delete on session for each row execute function audit_session();

comment on table webhook is 'Where a party wants to be told of its events.';
comment on column webhook.secret is 'Signs what is sent. Encrypted as sealed:<key>:<text> where the deployment has a key, and in clear otherwise.';
comment on column session.id_token is 'What a logout at the authorization server asks for. Encrypted as webhook.secret is.';
