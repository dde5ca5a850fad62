-- 0074: the answers of requests with an Idempotency-Key that record no operation, for repeated requests.

create table kept_answer (
  id bytea not null,
  request bytea not null,
  began_at timestamptz not null default now(),
  answer json,
  constraint kept_answer_pkey primary key (id)
);
create index kept_answer_old on kept_answer (began_at);
comment on table kept_answer is 'Rows are deleted after a day. Operations are not here: their commandId is their key.';
comment on column kept_answer.id is 'SHA-256 of the caller and the key.';
comment on column kept_answer.request is 'SHA-256 of the method, the address and the body.';
comment on column kept_answer.answer is 'Status, headers and body, without secrets. Null while the request is carried out, and for ever if its end was not recorded.';
