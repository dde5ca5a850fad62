-- 0060: the rights of a session are read again at its authorization server.

alter table session
  add column refresh_token text,
  add column checked_at timestamptz,
  add column check_begun_at timestamptz,
  add constraint session_refresh_token_belongs_to_login check (registration_id is not null or refresh_token is null);
comment on table session is 'Browsers whose users have signed in.';
comment on column session.refresh_token is
  'What the authorization server takes for the current rights. Encrypted as webhook.secret is. Null: it gave none, and rights hold until the session ends.';
comment on column session.checked_at is 'When the rights were read last. Null: at the login, in created_at.';
comment on column session.check_begun_at is
  'When a process began to read them. It alone does for some seconds, because a refresh token may be good for one use.';
