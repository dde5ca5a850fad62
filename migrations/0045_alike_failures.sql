-- 0045: failures that differ in the trace of the ledger alone are of one kind. Names the kinds anew, and keeps what
-- operators have said of them as if each had been one kind all the time.

-- The same as src/app/desk/failures.ts, which makes every later one; a test compares the two.
create function pg_temp.kind_words(said text) returns text language sql as $$
  select left(
    regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(said,
      '[A-Za-z0-9_-]+::[0-9a-zA-Z]+', '<party>', 'g'),
      '\d{4}-\d\d-\d\dT[0-9:.]+Z', '<time>', 'g'),
      '([A-Z][A-Z_]+)\([0-9]+,[0-9a-f]+\)', '\1(<n>,<trace>)', 'g'),
      '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,}', '<id>', 'g'),
      '(?<![0-9A-Za-z_])(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{8,15}(?![0-9A-Za-z_])', '<id>', 'g'),
      '\d+', '<n>', 'g'),
    300)
$$;

create temporary table alike on commit drop as
  select c.id, c.failure as was, c.operation, c.state, c.error ->> 'code' as code, c.error ->> 'ledgerCode' as ledger_code,
    pg_temp.kind_words(coalesce(c.error -> 'extra' ->> 'ledgerText', c.error ->> 'message')) as explanation
  from change c
  where c.failure is not null and c.error ->> 'code' not in ('DECIDED_NO_EFFECT', 'CANCELLED');
alter table alike add column fingerprint text collate "C";
update alike set fingerprint = left(encode(sha256(convert_to(
  concat_ws(E'\n', operation, state, code, coalesce(ledger_code, ''), explanation), 'UTF8')), 'hex'), 16);
delete from alike where fingerprint = was;

insert into failure (fingerprint, operation, state, code, ledger_code, class, explanation)
select distinct on (a.fingerprint) a.fingerprint, a.operation, a.state, a.code, a.ledger_code, f.class, a.explanation
from alike a join failure f on f.fingerprint = a.was
on conflict (fingerprint) do nothing;
update change c set failure = a.fingerprint from alike a where a.id = c.id;

-- What was said last holds. What was resolved is open where it has happened since, to whichever of them.
create temporary table said on commit drop as
  select distinct on (a.fingerprint, d.party)
    a.fingerprint, d.party, d.state, d.at, d.by_subject, d.reason, d.reopened_at
  from (select distinct fingerprint, was from alike
        union select distinct fingerprint, fingerprint from alike) a
    join failure_decision d on d.fingerprint = a.was
  order by a.fingerprint, d.party, d.at desc;
insert into failure_decision (fingerprint, party, state, at, by_subject, reason, reopened_at)
select s.fingerprint, s.party, s.state, s.at, s.by_subject, s.reason,
  case when s.state = 'resolved' then least(s.reopened_at, (
    select min(c.finished_at) from change c
    where c.outcome = s.fingerprint and c.finished_at > s.at and s.party in (c.provider, c.caller_party))) end
from said s
on conflict (fingerprint, party) do update
set state = excluded.state, at = excluded.at, by_subject = excluded.by_subject, reason = excluded.reason,
    reopened_at = excluded.reopened_at;

-- A kind that no change is of any more.
create temporary table empty on commit drop as
  select distinct a.was from alike a where not exists (select from change c where c.outcome = a.was and c.finished_at is not null);
delete from failure_decision d using empty e where d.fingerprint = e.was;
delete from failure f using empty e where f.fingerprint = e.was;
drop function pg_temp.kind_words(text);
