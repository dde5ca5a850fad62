-- 0036: a participant that leaves submissions without an answer is left alone at the second one of any operation.

create table silence (
  participant text primary key,
  since timestamptz not null
);
comment on table silence is 'Participants that have left a submission without an answer, and have answered none that was begun since: the next one they leave opens their circuit.';

alter table circuit add column probe_effect text;
comment on column circuit.probe_effect is 'The effect that was let through last.';
