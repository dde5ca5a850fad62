-- Which trace a change belongs to, so that whoever works on it continues it.

alter table change add column traceparent text check (traceparent <> '');

comment on column change.traceparent is 'W3C Trace Context of the request that recorded it.';
