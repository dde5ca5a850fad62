-- 0039: what participants said last of themselves and of us, so that a process starts while one of them is away.

create table participant_answer (
  participant text not null,
  address text not null,
  asked_as text not null,
  question text not null,
  answer jsonb not null,
  answered_at timestamptz not null default now(),
  primary key (participant, address, asked_as, question)
);
comment on table participant_answer is
  'What each participant answered last, at each address, to what a process asks it when it starts.';
comment on column participant_answer.asked_as is
  'The client, or a hash of the token, that asked: what another one may do is no answer to this one.';
comment on column participant_answer.address is
  'Host and port as configured: what another address said is no answer of this one.';
