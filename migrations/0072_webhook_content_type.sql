-- 0072: a webhook says with which media type its deliveries are sent. Frameworks parse application/json by default.
-- Webhooks that exist keep the media type that their receivers know.

alter table webhook add column content_type text not null default 'application/cloudevents+json'
  check (content_type in ('application/json', 'application/cloudevents+json'));
alter table webhook alter column content_type set default 'application/json';
