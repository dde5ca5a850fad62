import type { Pool } from 'pg';
import type { SigningKeys } from '../../app/ports/validation.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { Sealer } from '../../domain/sealing.ts';
import { signingKeyPlace } from '../../domain/sealing.ts';
import { statement } from '../sql/statement.ts';
import { onConnection, transact } from '../sql/transact.ts';

/**
 * A key stays public until the last file signed with it ends, so the end of a file is stored before the file is
 * returned.
 */
const FOR_FILE = statement<{ id: string; secret: string | null }>(
  'signing-key-for-file',
  `update signing_key set last_file_ends_at = greatest(last_file_ends_at, $1::timestamptz)
   where retired_at is null returning id, secret`,
);

const RETIRE = statement<{ id: string }>(
  'retire-signing-key',
  'update signing_key set retired_at = now(), secret = null where retired_at is null returning id',
);

const ADD = statement<{ id: string }>(
  'add-signing-key',
  `insert into signing_key (id, public_key, secret) values ($1, $2::jsonb, $3)
   on conflict do nothing returning id`,
);

const PUBLISHED = statement<{ public_key: JsonRecord }>(
  'published-signing-keys',
  `select public_key from signing_key
   where retired_at is null or last_file_ends_at > $1::timestamptz order by created_at desc, id`,
);

/** @param pool the caller closes it */
export const createSigningKeys = (pool: Pool, sealer: Sealer): SigningKeys => ({
  async forFile(endsAt, io) {
    const [row] = await transact(pool, io, (tx) => tx.run(FOR_FILE, [endsAt]));
    if (row === undefined || row.secret === null) return null;
    const opened = sealer.open(row.secret, signingKeyPlace(row.id));
    return { id: row.id, privateKey: JSON.parse(opened) as JsonRecord };
  },
  add: ({ id, publicKey, privateKey }, { onlyFirst }, io) =>
    transact(pool, io, async (tx) => {
      if (!onlyFirst) tx.send(RETIRE, []);
      const secret = sealer.seal(JSON.stringify(privateKey), signingKeyPlace(id));
      const added = await tx.run(ADD, [id, JSON.stringify(publicKey), secret]);
      return added.length === 1;
    }),
  async published(now, io) {
    const rows = await onConnection(pool, io, (session) => session.run(PUBLISHED, [now]));
    return rows.map((row) => row.public_key);
  },
});
