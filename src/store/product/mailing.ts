import type { Pool } from 'pg';
import type { Mailing, Recipient } from '../../app/ports/mailing.ts';
import { STORE_LIMITS } from '../limits.ts';
import { statement } from '../sql/statement.ts';
import { onConnection } from '../sql/transact.ts';

const RECIPIENT = statement<Recipient>(
  'mail-recipient',
  `select c.name, c.emails, c.time_zone as "timeZone", r.reference, l.contract_id as "contractId"
   from customer c
     left join license_record r on r.lifecycle_id = $3 and r.provider = c.provider
     left join lifecycle l on l.id = $3 and l.provider = c.provider
   where c.provider = $1 and c.party = $2`,
);

const MESSAGES = `json_to_recordset($1::json) as m(id text, "tokenHash" text, "addressHash" text)`;

const BEGIN = statement<{ id: string }>(
  'begin-mails',
  `with made as (
     insert into mail_link (token_hash, provider, party, address_hash)
     select decode(m."tokenHash", 'hex'), $2, $3, decode(m."addressHash", 'hex') from ${MESSAGES}
     on conflict do nothing
   )
   select m.id from ${MESSAGES}
   where not exists (
     select from mail_link l
     where l.provider = $2 and l.party = $3 and l.address_hash = decode(m."addressHash", 'hex')
       and (l.unsubscribed_at is not null or m.id = any(l.accepted)))`,
);

const ACCEPTED = statement<never>(
  'mails-accepted',
  `update mail_link l set accepted = (array_prepend(m.id, l.accepted))[1:${STORE_LIMITS.mailsRemembered}]
   from ${MESSAGES} where l.token_hash = decode(m."tokenHash", 'hex')`,
);

const UNSUBSCRIBE = statement<{ party: string }>(
  'unsubscribe',
  `update mail_link set unsubscribed_at = coalesce(unsubscribed_at, now())
   where token_hash = decode($1, 'hex') returning party`,
);

/** @param pool the caller closes it */
export const createMailing = (pool: Pool): Mailing => ({
  async recipient(provider, party, licenseId, io) {
    const values = [provider, party, licenseId];
    const [row] = await onConnection(pool, io, (session) => session.run(RECIPIENT, values));
    return row ?? null;
  },
  async begin({ provider, party }, messages, io) {
    const values = [JSON.stringify(messages), provider, party];
    const rows = await onConnection(pool, io, (session) => session.run(BEGIN, values));
    return new Set(rows.map(({ id }) => id));
  },
  async accepted(messages, io) {
    const values = [JSON.stringify(messages)];
    await onConnection(pool, io, (session) => session.run(ACCEPTED, values));
  },
  async unsubscribe(tokenHash, io) {
    const rows = await onConnection(pool, io, (session) => session.run(UNSUBSCRIBE, [tokenHash]));
    return rows.length > 0;
  },
});
