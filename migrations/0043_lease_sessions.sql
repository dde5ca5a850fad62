-- 0043: a lease whose holder has shown that it lives is free as soon as its session has ended.

alter table lease add column session_of text;

comment on column lease.session_of is
  'The holder, while it has a session with the advisory lock of its name: once nobody has that lock the holder is gone, and the lease need not run out. Null, or another than the holder: only the time tells.';
