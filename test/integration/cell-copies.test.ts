import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { load, openProvider } from '../../cli/cells/arrive.ts';
import { onCell } from '../../cli/cells/cell.ts';
import type { OpenedCellFile } from '../../cli/cells/cell-file.ts';
import { openCellFile } from '../../cli/cells/cell-file.ts';
import {
  exportFrom,
  giveBack,
  previewSwitch,
  sha256Of,
  switchProvider,
  takeThawing,
  thawInto,
} from '../../cli/cells/leave.ts';
import { newCellId } from '../../src/domain/cell.ts';
import type { TableSum } from '../../src/store/cells/copy.ts';
import { createCells } from '../../src/store/cells/identity.ts';
import { setState, takeStep } from '../../src/store/cells/move-row.ts';
import { openPool } from '../../src/store/sql/pool.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import type { TestDatabase } from '../kit/postgres.ts';
import { testDatabase } from '../kit/postgres.ts';
import { queryOnce } from '../kit/postgres-query.ts';

/*
 * Copies of a provider after the export was reverted, or when only half of the copy was loaded. No process of Tenure
 * runs.
 */

const ACTING = {
  provider: 'app_provider_test::1220',
  participants: [{ name: 'app-provider', ledgerUser: 'ledger-user' }],
};
const quiet = () => undefined;
const BY = 'operator';

async function openFolder(stack: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tenure-copies-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const exported = (url: string, file: string) =>
  exportFrom(url, ACTING, { file, address: null, by: BY, waitMs: PATIENCE_MS, onProgress: quiet });

/** Returns the confirmation of a person who has read the preview. */
const closing = async (databaseUrl: string, receipt: string) => {
  const { count } = await previewSwitch({ databaseUrl }, receipt);
  return { databaseUrl, by: BY, count, reason: 'moved to the larger cell' };
};

const stateOf = async (url: string): Promise<string | undefined> => {
  const [row] = await queryOnce<{ state: string }>(url, 'select state from cell_move');
  return row?.state;
};

/** Opens a session that holds the locks of the given statements until the session is ended. */
async function holding(url: string, ...words: readonly string[]): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('error', quiet);
  await client.connect();
  for (const each of words) await client.query(each);
  return client;
}

const waiting = (url: string, lock: string) =>
  expect.poll(
    () =>
      queryOnce(
        url,
        `select from pg_locks l join pg_database d on d.oid = l.database
         where d.datname = current_database() and not l.granted and l.locktype = '${lock}'`,
      ).then(({ length }) => length),
    { timeout: PATIENCE_MS },
  );

/** A trigger that makes the database wait before it deletes the pause of a move. */
const HELD = `create function test_held() returns trigger language plpgsql as $$
  begin perform pg_advisory_xact_lock(17); return old; end $$;
  create trigger test_held before delete on pause for each row execute function test_held()`;

test('who takes the provider back while it is copied has it, and the copy is none', async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await openFolder(stack);
  const { url } = stack.use(await testDatabase('pristine'));
  await queryOnce(url, HELD);
  // The copy reads this table first. When it waits here, it has already seen that the provider is frozen.
  const reading = await holding(url, 'begin', 'lock table migration in access exclusive mode');
  const exporting = exported(url, join(folder, 'a.cell')).catch((error: unknown) => error);
  await waiting(url, 'relation').toBe(1);
  expect(await stateOf(url)).toBe('frozen');
  const resuming = await holding(url, 'select pg_advisory_lock(17)');
  const giving = giveBack({ databaseUrl: url, by: BY });
  // The provider is thawed, but the pause of the move is not deleted yet, so the move is not finished.
  await waiting(url, 'advisory').toBe(1);
  expect(await stateOf(url)).toBe('draining');
  // Other versions of Tenure find the pause by exactly this text.
  const paused = `select p.reason = 'the provider moves to another cell (' || m.id || ')' as is_found
    from pause p, cell_move m`;
  expect(await queryOnce(url, paused)).toEqual([{ is_found: true }]);
  await reading.end();
  expect(String(await exporting)).toContain('was cancelled with');
  expect(await stateOf(url)).toBe('draining');
  await resuming.end();
  await giving;
  expect(await stateOf(url)).toBeUndefined();
});

test('a provider comes to a cell that was refused before, and its ledger users can be claimed there', async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await openFolder(stack);
  const [old, fresh] = [stack.use(await testDatabase('pristine')), stack.use(await testDatabase())];
  const io = { signal: AbortSignal.timeout(PATIENCE_MS), deadlineMs: PATIENCE_MS };
  const cellsOf = async ({ url }: TestDatabase) => {
    const { signal } = io;
    const pool = await openPool({ url, max: 1, pipelined: true, applicationName: 'test', signal });
    stack.defer(() => pool.end());
    return createCells(pool);
  };
  const [there, here] = [await cellsOf(old), await cellsOf(fresh)];
  const { id } = await there.own(newCellId(1_000, 'beef'), io);
  await there.claim(io);
  // Creates the state that remains if a process was started too early.
  await here.own(newCellId(2_000, 'beef'), io);
  await here.claim(io);
  const before = await here.find(io);
  const file = join(folder, 'a.cell');
  await exported(old.url, file);
  const opened = await openCellFile(file);
  await onCell(fresh.url, (client) => load(client, opened, { ...io, onProgress: quiet }));
  // The cell's name moves with the provider; a claim does not.
  expect(await here.find(io)).toEqual({ id, claimedAt: before?.claimedAt });
  // A claim leaves the provider frozen, because a person may claim a cell to repair the problem that prevents its
  // opening.
  await here.claim(io);
  expect((await here.find(io))!.claimedAt).not.toBe(before?.claimedAt);
});

test('a move has no words before its freeze, nor once it is taken back', async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await openFolder(stack);
  const { url } = stack.use(await testDatabase('pristine'));
  const words = () => queryOnce(url, 'select clearance, clearance_sha256, receipt from cell_move');
  const none = [{ clearance: null, clearance_sha256: null, receipt: null }];
  // The drain waits for a table to which another transaction is writing.
  const writing = await holding(url, 'begin', 'lock table pause in row exclusive mode');
  const exporting = exported(url, join(folder, 'a.cell'));
  await waiting(url, 'relation').toBe(1);
  expect(await words()).toEqual(none);
  await writing.end();
  await exporting;
  expect(await words()).not.toEqual(none);
  await queryOnce(url, HELD);
  const resuming = await holding(url, 'select pg_advisory_lock(17)');
  const giving = giveBack({ databaseUrl: url, by: BY });
  await waiting(url, 'advisory').toBe(1);
  expect(await words()).toEqual(none);
  await resuming.end();
  await giving;
});

test('a file of before the provider was taken back closes nothing, and takes no other’s place', async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await openFolder(stack);
  const [old, fresh] = [stack.use(await testDatabase('pristine')), stack.use(await testDatabase())];
  const files = [join(folder, 'first.cell'), join(folder, 'second.cell')] as const;
  await exported(old.url, files[0]);
  // The export is reverted by a command that is killed before it ends the move. The next export resumes this move.
  await onCell(old.url, (client) =>
    takeThawing(client, 'give-back', () => thawInto(client, 'draining')),
  );
  await exported(old.url, files[1]);
  const [first, second] = await Promise.all(files.map(openCellFile));
  expect(first?.head.moveId).toBe(second?.head.moveId);
  const databaseUrl = old.url;
  const ask = await closing(databaseUrl, second!.head.receipt);
  await expect(switchProvider(ask, first!.head.receipt)).rejects.toThrow(
    'the one that `tenure cell import` printed',
  );
  const asked = { signal: AbortSignal.timeout(PATIENCE_MS), onProgress: quiet };
  const into = (opened: NonNullable<typeof first>) =>
    onCell(fresh.url, (client) => load(client, opened, asked));
  await into(first!);
  await expect(into(second!)).rejects.toThrow(
    'this cell has already imported another copy of the same move',
  );
  // If the load is repeated, the second one does nothing.
  await into(await openCellFile(files[0]));
  const { receipt } = second!.head;
  await expect(switchProvider({ ...ask, count: ask.count + 1 }, receipt)).rejects.toThrow(
    `${ask.count} active lifecycles, not ${ask.count + 1}`,
  );
  expect(await stateOf(databaseUrl)).toBe('copied');
  const clearance = await switchProvider(ask, receipt);
  const why = await queryOnce(databaseUrl, 'select closed_by, closed_because from cell_move');
  expect(why).toEqual([{ closed_by: BY, closed_because: 'moved to the larger cell' }]);
  await expect(giveBack({ databaseUrl, by: BY })).rejects.toThrow('has moved to another cell');
  expect(sha256Of(clearance)).toBe(second!.head.clearanceSha256);
  expect(sha256Of(clearance)).not.toBe(first!.head.clearanceSha256);
  await queryOnce(fresh.url, `update cell_move set state = 'checked'`);
  const opening = openProvider({ databaseUrl: fresh.url, by: BY }, clearance);
  await expect(opening).rejects.toThrow('the one that `tenure cell switch` printed');
});

/** A statement that inserts rows which triggers of the old cell have extended and later acts have changed. */
const PAST = `
  insert into audit (at, by_party, by_subject, act, subject, reason, detail)
  values (now(), 'p', 'una', 'noted', 'x', 'y', '{}');
  insert into lifecycle (id, kind, machine_version, state, context, lane, provider, app_user, contract_id, version,
                         created_at, listed_as)
  select id, 'license', 1, 'active', '{}', id, 'p', 'u', id, 1, now(), 'active' from unnest('{a,b}'::text[]) id;
  delete from license_record where lifecycle_id = 'a';
  update license_record set number = 7, reference = 'ACME-0007'`;

async function* brokenOff(): AsyncGenerator<string> {
  yield 'a row of any table';
  throw new Error('cut off');
}

test('what has come half-way leaves nothing, and comes again as it was', async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await openFolder(stack);
  const [old, fresh] = [stack.use(await testDatabase('pristine')), stack.use(await testDatabase())];
  await queryOnce(old.url, `insert into tenant (tenant_id, party) values ('acme', 'acme::1220aa')`);
  await queryOnce(old.url, `insert into cell (id) values ('${'a'.repeat(16)}')`);
  await queryOnce(old.url, PAST);
  // A process was started in this cell too early, and refused to run.
  await queryOnce(fresh.url, `insert into cell (id) values ('${'b'.repeat(16)}')`);
  const file = join(folder, 'a.cell');
  await exported(old.url, file);
  const come = async (of: (opened: OpenedCellFile) => OpenedCellFile) => {
    const opened = of(await openCellFile(file));
    const asked = { signal: AbortSignal.timeout(PATIENCE_MS), onProgress: quiet };
    await onCell(fresh.url, (client) => load(client, opened, asked));
  };
  const tenants = () => queryOnce(fresh.url, 'select tenant_id from tenant');
  const changed = (table: string, change: Partial<TableSum>) => (opened: OpenedCellFile) => {
    const tables = opened.head.tables.map((sum) =>
      sum.table === table ? { ...sum, ...change } : sum,
    );
    return { ...opened, head: { ...opened.head, tables } };
  };
  await expect(come(changed('tenant', { rows: '2' }))).rejects.toThrow('tenant has 1 rows here');
  expect(await tenants()).toEqual([]);
  await expect(come(changed('tenant', { checksum: '1' }))).rejects.toThrow(
    'or the contents differ',
  );
  await expect(come((opened) => ({ ...opened, nextRows: brokenOff }))).rejects.toThrow('cut off');
  expect(await tenants()).toEqual([]);
  await come((opened) => opened);
  expect(await queryOnce(fresh.url, 'select id from cell')).toEqual([{ id: 'a'.repeat(16) }]);
  for (const table of ['tenant', 'lifecycle', 'license_record', 'audit', 'person']) {
    const there = await queryOnce(old.url, `select * from ${table}`);
    expect(await queryOnce(fresh.url, `select * from ${table}`), table).toEqual(there);
    expect(there, table).not.toEqual([]);
  }
  // All triggers are enabled again.
  const disabled = `select tgname from pg_trigger where tgenabled <> 'O'`;
  expect(await queryOnce(fresh.url, disabled)).toEqual([]);
});

test('a thaw that readers have locked out is taken again', async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await openFolder(stack);
  const { url } = stack.use(await testDatabase('pristine'));
  await exported(url, join(folder, 'a.cell'));
  // The reader has locked the second of two tables and waits for the first. One of the two sessions must give up, and
  // it is not the reader.
  const reader = await holding(url, `set deadlock_timeout = '1 h'`, 'begin', 'select from effect');
  const giving = giveBack({ databaseUrl: url, by: BY });
  await waiting(url, 'relation').toBe(1);
  await reader.query('select from alarm');
  await reader.end();
  await giving;
  expect(await stateOf(url)).toBeUndefined();
});

test('a step of which the standby may know nothing is not taken for done', async () => {
  await using database = await testDatabase('pristine');
  await using stack = new AsyncDisposableStack();
  const folder = await openFolder(stack);
  const { url } = database;
  const file = join(folder, 'a.cell');
  await exported(url, file);
  const { head } = await openCellFile(file);
  const switching = () =>
    onCell(url, async (client) => {
      // Emits the notice that a server sends with such a commit. In test/standby, real servers send it.
      client.emit('notice', { routine: 'SyncRepWaitForLSN' });
      return takeStep(client, 'switch', () => setState(client, 'moved'));
    });
  await expect(switching()).rejects.toThrow('synchronous standby');
  expect(await stateOf(url)).toBe('moved');
  // When the switch is repeated, it waits for the standby server.
  const clearance = await switchProvider(await closing(url, head.receipt), head.receipt);
  expect(sha256Of(clearance)).toBe(head.clearanceSha256);
});
