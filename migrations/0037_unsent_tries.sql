-- 0037: a try that sent nothing leaves no row of its own, and an operation tells once for each reason that it is retried.

alter table attempt
  add column unsent boolean default false not null,
  add column unsent_tries integer default 0 not null,
  add column unsent_since timestamptz,
  add constraint attempt_unsent_is_refused check (not unsent or verdict is not distinct from 'refused'),
  add constraint attempt_unsent_tries_check check (unsent_tries >= 0),
  add constraint attempt_unsent_tries_are_whole check ((unsent_tries = 0) = (unsent_since is null));
comment on column attempt.unsent is 'Nothing of it was sent: the next try of its change takes its place, under its number and a submission ID of its own.';
comment on column attempt.unsent_tries is 'Tries before this one that sent nothing and whose place it has taken; unsent_since is when the first of them began.';

alter table change add column retrying_for text;
comment on column change.retrying_for is 'What it waited for when it was last told that it is retried: told once for each.';
-- What is being retried while this is applied has been told.
update change set retrying_for = waiting_for ->> 'kind' where state = 'retrying';
