-- 0027: what the operations desk counts it counts in the indexes alone, and what it looks for by the beginning of command
-- IDs it finds by outcome, like everything else.

-- Whose it is belongs to every question; without it, each entry that is counted costs a row.
drop index change_outcome;
create index change_outcome on change (outcome, accepted_at, id) include (provider) where finished_at is not null;
drop index change_app_user;
create index change_app_user on change (app_user, outcome, accepted_at, id) include (provider) where finished_at is not null;
drop index change_subject;
create index change_subject on change (caller_subject, outcome, accepted_at, id) include (provider)
  where finished_at is not null;

drop index change_command_prefix;
create index change_command_prefix on change (outcome, command_id text_pattern_ops) where finished_at is not null;

-- What users have asked for themselves, of which the provider may have asked for far more about them.
create index change_asked on change (caller_party, outcome, accepted_at, id)
  where finished_at is not null and caller_party <> provider;
