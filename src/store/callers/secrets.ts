import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import type { Sealer } from '../../domain/sealing.ts';
import {
  sealedBy,
  sealedLike,
  sessionPlace,
  signingKeyPlace,
  webhookPlace,
} from '../../domain/sealing.ts';
import { STORE_LIMITS } from '../limits.ts';
import type { Session } from '../sql/session.ts';
import { plannedAnew } from '../sql/statement.ts';
import { transact } from '../sql/transact.ts';

/** The secrets that are encrypted with an earlier key, or not encrypted. */
const WEBHOOKS = plannedAnew<{ id: string; secret: string; previous_secret: string | null }>(
  'webhooks-to-seal',
  `select id, secret, previous_secret from webhook
   where secret not like $1 or previous_secret not like $1 order by id limit $2 for update`,
);
const SEAL_WEBHOOK = plannedAnew<never>(
  'seal-webhook',
  'update webhook set secret = $2, previous_secret = $3 where id = $1',
);
const SESSIONS = plannedAnew<{
  id_hash: Buffer;
  id_token: string | null;
  refresh_token: string | null;
}>(
  'sessions-to-seal',
  `select id_hash, id_token, refresh_token from session
   where id_token not like $1 or refresh_token not like $1 order by id_hash limit $2 for update`,
);
const SEAL_SESSION = plannedAnew<never>(
  'seal-session',
  'update session set id_token = $2, refresh_token = $3 where id_hash = $1',
);
const SIGNING_KEYS = plannedAnew<{ id: string; secret: string | null }>(
  'signing-keys-to-seal',
  'select id, secret from signing_key where secret not like $1 limit $2 for update',
);
const SEAL_SIGNING_KEY = plannedAnew<never>(
  'seal-signing-key',
  'update signing_key set secret = $2 where id = $1',
);
const STORED = plannedAnew<{ secret: string }>(
  'sealed-secrets',
  `select distinct on (split_part(s.secret, ':', 2)) s.secret from (
     select secret from webhook union all select previous_secret from webhook
     union all select id_token from session union all select refresh_token from session
     union all select secret from signing_key
   ) s where starts_with(s.secret, 'sealed:')`,
);

async function sealWebhooks(session: Session, sealer: Sealer, like: string): Promise<number> {
  const rows = await session.run(WEBHOOKS, [like, STORE_LIMITS.secretsSealed]);
  for (const { id, secret, previous_secret: previous } of rows) {
    const place = webhookPlace(id);
    const again = (stored: string) => sealer.seal(sealer.open(stored, place), place);
    session.send(SEAL_WEBHOOK, [id, again(secret), previous === null ? null : again(previous)]);
  }
  return rows.length;
}

async function sealSessions(session: Session, sealer: Sealer, like: string): Promise<number> {
  const rows = await session.run(SESSIONS, [like, STORE_LIMITS.secretsSealed]);
  for (const { id_hash: idHash, id_token: idToken, refresh_token: refreshToken } of rows) {
    const place = sessionPlace(idHash);
    const again = (stored: string | null) =>
      stored === null ? null : sealer.seal(sealer.open(stored, place), place);
    session.send(SEAL_SESSION, [idHash, again(idToken), again(refreshToken)]);
  }
  return rows.length;
}

async function sealSigningKeys(session: Session, sealer: Sealer, like: string): Promise<number> {
  const rows = await session.run(SIGNING_KEYS, [like, STORE_LIMITS.secretsSealed]);
  for (const { id, secret } of rows) {
    const place = signingKeyPlace(id);
    if (secret !== null)
      session.send(SEAL_SIGNING_KEY, [id, sealer.seal(sealer.open(secret, place), place)]);
  }
  return rows.length;
}

/**
 * Encrypts every secret with the current key, including secrets that are not encrypted yet.
 *
 * @returns the number of webhooks and sessions whose secrets had an earlier key or none; the key that signs
 * files is not counted
 * @throws MissingKeyError for a secret whose key is not among the sealer's keys
 */
export async function sealSecrets(
  pool: Pool,
  sealer: Sealer,
  io: Io,
): Promise<{ readonly webhooks: number; readonly sessions: number }> {
  const sealed = { webhooks: 0, sessions: 0 };
  if (sealer.currentId === null) return sealed;
  const like = sealedLike(sealer.currentId);
  const all = async (batch: typeof sealWebhooks): Promise<number> => {
    for (let sum = 0; ;) {
      const count = await transact(pool, io, (session) => batch(session, sealer, like));
      sum += count;
      if (count < STORE_LIMITS.secretsSealed) return sum;
    }
  };
  sealed.webhooks = await all(sealWebhooks);
  sealed.sessions = await all(sealSessions);
  await all(sealSigningKeys);
  return sealed;
}

/** Returns the IDs of the keys with which stored secrets are encrypted. */
export const sealingKeysInUse = (pool: Pool, io: Io): Promise<readonly string[]> =>
  transact(pool, io, async (session) => {
    const rows = await session.run(STORED);
    return rows.flatMap(({ secret }) => sealedBy(secret) ?? []);
  });
