import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Party } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { MIGRATIONS_FOLDER, migrate } from '../../src/store/sql/migrate.ts';
import { closePool, openPool } from '../../src/store/sql/pool.ts';
import { createPostgresStore } from '../../src/store/engine/postgres-store.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import { testDatabase } from '../kit/postgres.ts';
import { io } from '../kit/store-rows.ts';

const signal = () => AbortSignal.timeout(PATIENCE_MS);

/** The migration from which on a command ID belongs to only one change. */
const MAKES_ONE = /_one_command_one_ledger\.sql$/u;

/** Creates a folder with all migrations that precede that migration. */
async function foldersBefore(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'tenure-before-'));
  const files = (await readdir(MIGRATIONS_FOLDER)).filter((name) => /^\d{4}_/u.test(name)).sort();
  const end = files.findIndex((name) => MAKES_ONE.test(name));
  for (const name of files.slice(0, end)) await cp(join(MIGRATIONS_FOLDER, name), join(path, name));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

/** The states that a duplicate row may have, with the columns that each state requires. */
const STANDING = {
  open: { state: 'submitting' },
  waits: { state: 'queued' },
  accepted: {
    state: 'submitting',
    accepted_update_id: 'update-1',
    accepted_offset: '7',
    accepted_read_back: 'false',
  },
  refused: { state: 'rejected', finished_at: 'now()', error: '{}' },
  cancelled: { state: 'cancelled', finished_at: 'now()' },
  succeeded: { state: 'succeeded', finished_at: 'now()', result: '{}' },
  pruned: { state: 'succeeded', finished_at: 'now()', result: '{}', pruned_at: 'now()' },
} as const;

interface Recorded {
  readonly name: string;
  readonly commandId: string;
  readonly standing: keyof typeof STANDING;
  /** The time of the row, in seconds. */
  readonly at: number;
  readonly actAs?: string;
}

let number = 0;

async function record(
  url: string,
  { name, commandId, standing, at, actAs = 'provider::1' }: Recorded,
): Promise<void> {
  number += 1;
  const values = {
    id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    command_id: commandId,
    operation: 'expire-license',
    lane: `lane-${number}`,
    mailbox_no: '1',
    caller_party: 'user::1',
    caller_subject: name,
    participant: `participant-${number}`,
    ledger_user: 'u',
    act_as: actAs,
    body: '{}',
    fingerprint: 'f',
    accepted_at: `2026-01-01T00:00:${String(at).padStart(2, '0')}Z`,
    deduplication_offset: '1',
    ...STANDING[standing],
  };
  const columns = Object.keys(values).join(', ');
  const literals = Object.values(values).map((value) => `'${value}'`);
  await queryOnce(url, `insert into mailbox (lane) values ('lane-${number}')`);
  await queryOnce(url, `insert into change (${columns}) values (${literals.join(', ')})`);
  await queryOnce(
    url,
    `insert into attempt (change_id, n, submission_id, participant, ledger_user, act_as, at)
     values ('${values.id}', 1, 's-${number}', 'p', 'u', 'a', now())`,
  );
}

/**
 * For each command ID: the rows that were recorded for it, and the name of the row from which requests are answered
 * after the migration.
 */
const CASES: readonly (readonly [string, string, readonly Omit<Recorded, 'commandId'>[]])[] = [
  [
    'what took effect',
    'late success',
    [
      { name: 'refused first', standing: 'refused', at: 1 },
      { name: 'on its way', standing: 'accepted', at: 2 },
      { name: 'late success', standing: 'succeeded', at: 3 },
    ],
  ],
  [
    'what took effect and was pruned',
    'pruned',
    [
      { name: 'on its way', standing: 'open', at: 1 },
      { name: 'pruned', standing: 'pruned', at: 2 },
    ],
  ],
  [
    'what was accepted',
    'accepted',
    [
      { name: 'on its way', standing: 'open', at: 1 },
      { name: 'accepted', standing: 'accepted', at: 2 },
    ],
  ],
  [
    'what may still take effect',
    'queued',
    [
      { name: 'refused', standing: 'refused', at: 1 },
      { name: 'cancelled', standing: 'cancelled', at: 2 },
      { name: 'queued', standing: 'waits', at: 3 },
    ],
  ],
  [
    'the first of equals',
    'first',
    [
      { name: 'second', standing: 'succeeded', at: 2 },
      { name: 'first', standing: 'succeeded', at: 1 },
    ],
  ],
  [
    'each of its own acting party',
    'one',
    [
      { name: 'one', standing: 'open', at: 2 },
      { name: 'two', standing: 'open', at: 1, actAs: 'user::1' },
    ],
  ],
];

test('commands that were recorded twice stay, and one of each is answered from then on', async () => {
  await using database = await testDatabase('empty');
  await using before = await foldersBefore();
  await migrate({ url: database.url, folder: before.path, signal: signal() });
  for (const [commandId, , rows] of CASES) {
    for (const row of rows) await record(database.url, { commandId, ...row });
  }
  const count = `select (select count(*) from change)::int as changes, (select count(*) from attempt)::int as attempts`;
  const [were] = await queryOnce(database.url, count);
  await migrate({ url: database.url, folder: MIGRATIONS_FOLDER, signal: signal() });
  expect(await queryOnce(database.url, count)).toEqual([were]);
  const pool = await openPool({
    url: database.url,
    max: 1,
    applicationName: 'test-duplicates',
    pipelined: true,
    signal: signal(),
  });
  try {
    const store = createPostgresStore(pool);
    const actAs = trusted<Party>('provider::1');
    for (const [text, name, rows] of CASES) {
      const commandId = trusted<never>(text);
      const answered = await store.transact(io(), (tx) => tx.changeByCommand({ actAs, commandId }));
      expect([text, answered?.callerSubject]).toEqual([text, name]);
      const listed = await store.reads.changesByCommand(commandId, trusted('user::1'), io());
      expect(listed).toHaveLength(rows.length);
      if (!text.startsWith('each')) expect(listed[0]?.callerSubject).toBe(name);
    }
  } finally {
    await closePool(pool, PATIENCE_MS);
  }
  const numbers = await queryOnce(
    database.url,
    `select distinct duplicate_no from change where act_as = 'user::1'`,
  );
  expect(numbers).toEqual([{ duplicate_no: 0 }]);
});
