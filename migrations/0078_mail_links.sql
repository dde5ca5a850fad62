-- 0078: the links by which customers end the mails to one of their addresses.

create table mail_link (
  token_hash bytea not null check (length(token_hash) = 32),
  provider text collate "C" not null check (provider <> ''),
  party text collate "C" not null check (party <> ''),
  address_hash bytea not null check (length(address_hash) = 32),
  unsubscribed_at timestamptz,
  accepted text[] not null default '{}',
  constraint mail_link_pkey primary key (token_hash)
);
create index mail_link_address on mail_link (provider, party, address_hash);
comment on table mail_link is
  'An address has a link for each secret of a mail subscription. The link of an old mail stays valid.';
comment on column mail_link.token_hash is 'SHA-256 of the token, which only mails contain.';
comment on column mail_link.address_hash is 'SHA-256 of the address in lower case. The address is not here.';
comment on column mail_link.unsubscribed_at is 'Once one link of an address has it, the address gets no mail of this provider.';
comment on column mail_link.accepted is
  'IDs of the newest messages that the mail server has accepted, of deliveries that are tried again for another address.';
