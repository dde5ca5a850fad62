import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addSecretKey, secretKeysIn } from '../../embedded/secret-keys.ts';
import type { Party } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { createSealer, newSealingKey, readSealingKeys } from '../../src/domain/sealing.ts';
import { refuseMissingKeys, rotateSecrets } from '../../src/main/secret-keys.ts';
import { createSessionStore } from '../../src/store/callers/sessions.ts';
import { createDeliveries } from '../../src/store/webhooks/deliveries.ts';
import { createWebhooks } from '../../src/store/webhooks/webhooks.ts';
import { Turns } from '../../src/ops/turns.ts';
import { forFile } from '../kit/for-file.ts';
import { postgresStore } from '../kit/postgres-store.ts';
import { io } from '../kit/store-rows.ts';

/* Webhook secrets and ID tokens are encrypted in the database. Rows of the previous release can still be read. */

const under = await forFile(postgresStore());
const { pool } = under;
const party = trusted<Party>('user::1');
const old = newSealingKey();
const current = newSealingKey();
const sealerOf = (...keys: string[]) => createSealer(readSealingKeys(keys.join(',')));

const hook = { party, createdBy: 'una', url: 'http://x/', types: [], tenantId: null };
const added = (id: string, ...keys: string[]) =>
  createWebhooks(pool, keys.length === 0 ? undefined : sealerOf(...keys)).add(
    { ...hook, id, secret: `whsec_${id}` },
    io(),
  );
const stored = async (): Promise<Record<string, string>> => {
  const { rows } = await pool.query<{ id: string; secret: string }>(
    'select id, secret from webhook',
  );
  return Object.fromEntries(rows.map(({ id, secret }) => [id, secret]));
};

/** Returns the secrets that sign the deliveries of each webhook, as a process with these keys reads them. */
async function signedWith(...keys: string[]): Promise<Record<string, readonly string[]>> {
  await pool.query('delete from delivery');
  await pool.query(
    `insert into delivery (webhook_id, message_id, type, body) select id, 'm', 't', '{}' from webhook`,
  );
  const claimed = await createDeliveries(pool, sealerOf(...keys)).claim(
    100,
    new Turns().hands,
    io(),
  );
  return Object.fromEntries(claimed.map(({ webhookId, secrets }) => [webhookId, secrets]));
}

const identity = {
  tenantId: 'AppUser',
  isInternal: true,
  party,
  roles: new Set(['user'] as const),
  subject: 'una',
  name: 'Una',
  login: { registrationId: 'AppUser', idToken: 'eyJ.token', refreshToken: 'eyJ.refresh' },
};
const idHash = Buffer.alloc(32, 7);
const tokensBy = async (...keys: string[]) => {
  const found = await createSessionStore(pool, sealerOf(...keys)).find(idHash, io());
  return [found?.identity.login?.idToken, found?.identity.login?.refreshToken];
};

test('a secret is in clear in no column, and opens with its key and in its row alone', async () => {
  await added('clear');
  await added('one', old);
  await added('two', old);
  await createWebhooks(pool, sealerOf(current, old)).rotate(
    'two',
    { party, subject: 'una' },
    'whsec_next',
    io(),
  );
  const nowMs = Date.now();
  const times = { createdAtMs: nowMs, seenAtMs: nowMs, checkedAtMs: nowMs };
  const session = { idHash, identity, ...times };
  expect(await createSessionStore(pool, sealerOf(old)).insert(session, 9, io())).toBe(true);
  const all = JSON.stringify(
    (await pool.query('select w::text, s::text from webhook w, session s')).rows,
  );
  expect(all).not.toMatch(/whsec_(?:one|two|next)|eyJ/u);
  expect(await signedWith(current, old)).toEqual({
    clear: ['whsec_clear'],
    one: ['whsec_one'],
    two: ['whsec_next', 'whsec_two'],
  });
  expect(await tokensBy(old)).toEqual(['eyJ.token', 'eyJ.refresh']);
  expect(await tokensBy(current)).toEqual([null, null]);
  await pool.query(
    `update webhook set secret = (select secret from webhook where id = 'one') where id = 'clear'`,
  );
  await expect(signedWith(current, old)).rejects.toThrow('unable to authenticate');
  await pool.query(`update webhook set secret = 'whsec_clear' where id = 'clear'`);
});

test('a process without a key in use does not start', async () => {
  const keys = (...some: string[]) => readSealingKeys(some.join(','));
  const signal = AbortSignal.timeout(30_000);
  await refuseMissingKeys(keys(current, old), pool, signal);
  await expect(refuseMissingKeys(keys(current), pool, signal)).rejects.toThrow(
    `TENURE_SECRET_KEYS has no key ${old.split(':')[0]}`,
  );
});

test('a rotation seals every row with the first key, also rows in clear, and is done once', async () => {
  const keys = [current, old];
  expect(await rotateSecrets({ databaseUrl: under.url, keys: keys.join(',') })).toEqual({
    webhooks: 3,
    sessions: 1,
  });
  expect(await rotateSecrets({ databaseUrl: under.url, keys: keys.join(',') })).toEqual({
    webhooks: 0,
    sessions: 0,
  });
  for (const secret of Object.values(await stored())) {
    expect(secret).toMatch(new RegExp(`^sealed:${current.split(':')[0]}:`, 'u'));
  }
  expect(await signedWith(current)).toEqual({
    clear: ['whsec_clear'],
    one: ['whsec_one'],
    two: ['whsec_next', 'whsec_two'],
  });
  expect(await tokensBy(current)).toEqual(['eyJ.token', 'eyJ.refresh']);
});

test('the embedded size keeps its keys in a file that is its owner’s alone', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tenure-keys-'));
  try {
    const first = await secretKeysIn(dataDir);
    expect(await secretKeysIn(dataDir)).toBe(first);
    await addSecretKey(dataDir);
    expect((await secretKeysIn(dataDir)).split(',').at(-1)).toBe(first);
    expect((await stat(join(dataDir, 'secret-keys'))).mode & 0o777).toBe(0o600);
  } finally {
    await rm(dataDir, { recursive: true });
  }
});
