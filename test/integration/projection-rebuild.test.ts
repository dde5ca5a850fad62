import { expect, test } from 'vitest';
import { ErrorInfo } from '../../proto/gen/google/rpc/error_details.ts';
import type { Change } from '../../src/domain/change.ts';
import type { JsonRecord } from '../../src/domain/json.ts';
import { BEGIN_OF_TIME } from '../../src/domain/ledger.ts';
import { APP_INSTALL, LICENSE, LICENSE_RENEWAL_REQUEST } from '../../src/domain/licensing.ts';
import { askForRebuild } from '../../src/main/rebuild-request.ts';
import type { Projector } from '../../src/projector/status.ts';
import { int64, party, text, timestamp } from '../contract/kit/values.ts';
import {
  P,
  PROVIDER,
  ProjectorWorld,
  U,
  USER,
  reached,
  readiness,
} from '../kit/projector-world.ts';
import { change, io } from '../kit/store-rows.ts';
import { arrive } from '../kit/store-under-test.ts';
import { allOf } from '../kit/all-of.ts';
import { consumes, creates, newContract } from '../kit/told-ledger.ts';

/* Rebuilds of the projection from the ledger: which rows stay, which lifecycles end, and how open changes continue. */

const PARTIES = { provider: party(PROVIDER), user: party(USER) };
const install = (numLicensesCreated = 0n) =>
  newContract(APP_INSTALL, { ...PARTIES, numLicensesCreated: int64(numLicensesCreated) }, [
    PROVIDER,
  ]);
const license = (licenseNum: bigint, expiresAt = 1_767_225_600_000_000n) =>
  newContract(
    LICENSE,
    { ...PARTIES, licenseNum: int64(licenseNum), expiresAt: timestamp(expiresAt) },
    [PROVIDER],
  );
const renewal = (licenseNum: bigint) =>
  newContract(
    LICENSE_RENEWAL_REQUEST,
    {
      ...PARTIES,
      licenseNum: int64(licenseNum),
      requestId: text('r'),
      settleBefore: timestamp(1_767_225_600_000_000n),
    },
    [PROVIDER],
  );

const ready = (projector: Projector) => expect.poll(() => readiness(projector), { interval: 20 });

const ask = (world: ProjectorWorld, isDryRun: boolean): Promise<JsonRecord> =>
  askForRebuild({ databaseUrl: world.under.url, isDryRun, by: 'somebody', waitMs: 20_000 });

const lifecycle = async (world: ProjectorWorld, of: { readonly contractId: string }) =>
  (await world.store.reads.lifecycle(of.contractId, io()))?.lifecycle;

/** Returns all data that a rebuild could change, so that it can be compared. */
async function everything(world: ProjectorWorld): Promise<unknown> {
  const tables = ['contract', 'lifecycle', 'lineage', 'history', 'change', 'query_store_offset'];
  const all = tables.map(async (table) => {
    const { rows } = await world.under.pool.query(`select * from ${table} t order by t::text`);
    return rows;
  });
  return Promise.all(all);
}

/** A completion with a definite refusal. */
const REFUSED = {
  code: 9,
  message: 'no',
  details: [
    {
      typeUrl: 'type.googleapis.com/google.rpc.ErrorInfo',
      value: ErrorInfo.encode(ErrorInfo.fromPartial({ reason: 'DAML_FAILURE' })).finish(),
    },
  ],
};

const openChange = (over: Partial<Change>): Change => ({
  ...change(),
  lane: `change-${over.commandId ?? 'c'}` as Change['lane'],
  deduplicationOffset: 1n,
  ...over,
});

test('how far synchronizers were told is to be told again before it is believed', async () => {
  await using world = await ProjectorWorld.open();
  await world.ready();
  const [early, late] = ['2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'];
  const stream = `completions:${U}`;
  await world.under.pool.query(
    `update query_store_offset set synchronizer_times = $2, given_up = $3 where stream = $1`,
    [stream, { known: late, left: early, back: late }, { left: early, back: early }],
  );
  const row = async () => {
    const { rows } = await world.under.pool.query(
      `select synchronizer_times as times, given_up from query_store_offset where stream = $1`,
      [stream],
    );
    return rows[0];
  };
  await ask(world, true);
  expect(await row()).toMatchObject({ times: { known: late } });
  await ask(world, false);
  expect(await row()).toEqual({
    times: { known: BEGIN_OF_TIME, left: BEGIN_OF_TIME, back: BEGIN_OF_TIME },
    // A synchronizer that is connected again is no longer marked as given up.
    given_up: { left: early },
  });
});

test('a store that agrees with the ledger stays as it is, but for what it vouches for', async () => {
  await using world = await ProjectorWorld.open();
  const projector = await world.ready();
  world.ledger.create(install(), license(1n), renewal(1n));
  const at = world.ledger.create(license(2n));
  await expect.poll(() => reached(projector)).toBe(at);
  const before = await everything(world);
  const none = { added: 0, corrected: 0, ended: 0, active: 4 };
  const expected = { offset: String(at), pruned: false, contracts: none };
  expect(await ask(world, true)).toMatchObject(expected);
  expect(await everything(world)).toEqual(before);
  expect(await ask(world, false)).toMatchObject({
    ...expected,
    lifecycles: { begun: 0, corrected: 0, gone: 0 },
    changes: { open: 0, settledUnseen: 0, inDoubt: 0 },
  });
  const after = world.ledger.create(install());
  await expect.poll(() => reached(projector)).toBe(after);
  await ready(projector).toBe('ok');
});

test('what was missed because it was pruned: lives go on under their ids, or are gone and say so', async () => {
  await using world = await ProjectorWorld.open();
  const projector = await world.ready();
  const [kept, left, replaced] = [license(1n), license(2n), install(1n)];
  const asked = renewal(1n);
  const before = world.ledger.create(kept, left, replaced, asked);
  await expect.poll(() => reached(projector)).toBe(before);
  const ids = await Promise.all([kept, left, replaced].map((of) => lifecycle(world, of)));
  const references = async () =>
    (
      await world.under.pool.query(
        'select lifecycle_id, reference from license_record order by number',
      )
    ).rows;
  const numbered = await references();
  await projector.stop();
  // While no projector runs, one licence ends, and a new contract replaces that of the first install.
  const [next, later] = [install(2n), license(3n)];
  world.ledger.transact([consumes(left, 'License_Expire')]);
  world.ledger.transact([
    consumes(replaced, 'AppInstall_CreateLicense', 2),
    creates(next),
    creates(later),
  ]);
  for (const { contractId } of [left, replaced]) world.ledger.active.delete(contractId);
  for (const contract of [next, later]) {
    world.ledger.active.set(contract.contractId, { contract, offset: world.ledger.end });
  }
  world.ledger.prunedUpTo = world.ledger.end;
  const after = world.ledger.create(license(4n));
  const resumed = world.start();
  await ready(resumed).toContain('tenure projection rebuild');
  const told = await everything(world);
  const report = {
    offset: String(after - 1n),
    pruned: true,
    contracts: { active: 4, added: 2, corrected: 0, ended: 2 },
    lifecycles: { begun: 2, gone: 2, goneIds: expect.arrayContaining([ids[1]!.id, ids[2]!.id]) },
  };
  expect(await ask(world, true)).toMatchObject(report);
  expect(await everything(world)).toEqual(told);
  expect(await ask(world, false)).toMatchObject(report);
  await ready(resumed).toBe('ok');
  await expect.poll(() => reached(resumed)).toBe(after);
  expect(await lifecycle(world, kept)).toEqual(ids[0]);
  expect(await lifecycle(world, asked)).toMatchObject({ state: 'requested', endedAt: null });
  expect(await lifecycle(world, left)).toMatchObject({
    id: ids[1]!.id,
    state: 'gone',
    version: 2,
    endedAt: expect.any(String),
  });
  const history = await allOf(world.store.reads.history(ids[1]!.id, io()));
  expect(history.at(-1)).toMatchObject({ kind: 'ledger.gone', state: 'gone', offset: after - 1n });
  // The payload of a lifecycle in state `gone` can still be read.
  const view = await world.store.reads.lifecycle(left.contractId, io());
  expect(view?.payload).toMatchObject({ licenseNum: '2' });
  expect(await lifecycle(world, next)).toMatchObject({ state: 'active', kind: 'install' });
  // Licences keep their references, and new licences get the next numbers.
  expect(numbered.map(({ reference }) => reference)).toEqual(['LIC-0001', 'LIC-0002']);
  expect((await references()).slice(0, 2)).toEqual(numbered);
});

test.each([
  ['licence', LICENSE],
  ['renewal', LICENSE_RENEWAL_REQUEST],
])('a %s without what it must have is taken in by a snapshot alone', async (_what, template) => {
  await using world = await ProjectorWorld.open();
  const [there, told] = [1, 2].map(() => newContract(template, PARTIES, [PROVIDER]));
  world.ledger.create(there!);
  const projector = await world.ready();
  const taken = { licenseNum: 0n, expiresAt: null, endedAt: null, provider: PROVIDER };
  expect(await lifecycle(world, there!)).toMatchObject(taken);
  world.ledger.create(told!);
  await expect.poll(() => readiness(projector)).toContain(`${told!.contractId} without licenseNum`);
  world.ledger.prunedUpTo = world.ledger.end;
  expect(await ask(world, false)).toMatchObject({
    contracts: { active: 2, added: 1, corrected: 0 },
    lifecycles: { begun: 1, corrected: 0, gone: 0 },
  });
  expect(await lifecycle(world, told!)).toMatchObject(taken);
  await ready(projector).toBe('ok');
});

test('a projection that is wrong is put right, under the same ids', async () => {
  await using world = await ProjectorWorld.open();
  const projector = await world.ready();
  const [first, second, third] = [license(1n), license(2n), license(3n)];
  const at = world.ledger.create(first, second, third);
  await expect.poll(() => reached(projector)).toBe(at);
  const ids = await Promise.all([first, second, third].map((of) => lifecycle(world, of)));
  await world.under.pool.query(
    `update contract set payload = payload || '{"licenseNum": "9"}' where contract_id = $1`,
    [first.contractId],
  );
  await world.under.pool.query(
    `update lifecycle set state = 'expired', ended_at = now() where id = $1`,
    [ids[1]!.id],
  );
  await world.under.pool.query('delete from contract where contract_id = $1', [third.contractId]);
  await world.under.pool.query(`update lifecycle set expires_at = now() where id = $1`, [
    ids[2]!.id,
  ]);
  expect(await ask(world, false)).toMatchObject({
    contracts: { active: 3, added: 1, corrected: 1, ended: 0 },
    lifecycles: { begun: 0, corrected: 2, gone: 0 },
  });
  for (const [index, of] of [first, second, third].entries()) {
    const view = await world.store.reads.lifecycle(of.contractId, io());
    expect(view?.payload['licenseNum']).toBe(String(index + 1));
    const { id, state, expiresAt, endedAt } = ids[index]!;
    expect(view?.lifecycle).toMatchObject({ id, state, expiresAt, endedAt });
  }
});

test('open changes stay open and are resolved from what is told again', async () => {
  await using world = await ProjectorWorld.open();
  const projector = await world.ready();
  const of = install();
  world.ledger.create(of);
  // A completion that arrived before its attempt was recorded.
  const told = world.ledger.complete({
    submissionId: 'lost',
    status: { code: 9, message: 'no', details: [] },
  });
  await expect.poll(() => reached(projector, `completions:${P}`)).toBe(told);
  const open = openChange({ operation: 'create-license', deduplicationOffset: 1n });
  await arrive(world.store, open);
  await world.under.pool.query(
    `insert into attempt (change_id, n, submission_id, participant, ledger_user, act_as, at)
     values ($1, 1, 'lost', $2, 'backend', $3, now())`,
    [open.id, P, PROVIDER],
  );
  const report = await ask(world, false);
  expect(report).toMatchObject({
    changes: { open: 1, inDoubt: 0 },
    streams: { [`completions:${P}`]: { from: String(told), to: '1' } },
  });
  const attempts = () => world.store.reads.attempts(open.id, io());
  await expect.poll(async () => (await attempts())[0]?.answer?.verdict).toBe('unknown');
  const [found] = await world.store.reads.changesById([open.id], io());
  expect(found?.finishedAt).toBeNull();
});

test('what was pruned before it was heard: an attempt without an answer is left to a person, an effect is believed', async () => {
  await using world = await ProjectorWorld.open();
  const projector = await world.ready();
  world.ledger.create(install());
  world.userLedger.checkpoint();
  await expect.poll(() => reached(projector, `completions:${U}`)).toBe(1n);
  await projector.stop();
  const doubtful = openChange({ commandId: 'doubtful' as Change['commandId'] });
  const unsent = openChange({ commandId: 'unsent' as Change['commandId'] });
  const accepted = openChange({
    commandId: 'accepted' as Change['commandId'],
    operation: 'request-install',
    callerParty: USER,
    submitter: { participant: U, ledgerUser: 'backend', actAs: USER },
    acceptance: { updateId: world.ledger.idAt(2n) as never, offset: 1n, readBack: false },
  });
  const refused = openChange({ commandId: 'refused' as Change['commandId'] });
  for (const one of [doubtful, refused, unsent, accepted]) await arrive(world.store, one);
  await world.under.pool.query(
    `insert into attempt (change_id, n, submission_id, participant, ledger_user, act_as, at)
     values ($1, 1, 's', $3, 'backend', $4, now()), ($2, 1, 'refused', $3, 'backend', $4, now())`,
    [doubtful.id, refused.id, P, PROVIDER],
  );
  world.ledger.create(install());
  world.ledger.checkpoint();
  world.ledger.prunedUpTo = 3n;
  world.ledger.complete({ submissionId: 'refused', status: REFUSED });
  const resumed = world.start();
  await ready(resumed).toContain('tenure projection rebuild');
  expect(await ask(world, false)).toMatchObject({
    changes: { open: 4, settledUnseen: 1, inDoubt: 1 },
    streams: { updates: { from: '1', to: '3' } },
  });
  await ready(resumed).toBe('ok');
  const states = async () => {
    const ids = [doubtful.id, refused.id, unsent.id, accepted.id];
    const found = await world.store.reads.changesById(ids, io());
    return new Map(found.map(({ id, state, waitingFor }) => [id, { state, waitingFor }]));
  };
  const after = await states();
  expect(after.get(doubtful.id)).toMatchObject({
    state: 'in-doubt',
    waitingFor: { kind: 'person', detail: expect.stringContaining('up to offset 3 were pruned') },
  });
  expect(after.get(unsent.id)?.state).toBe('submitting');
  expect(after.get(accepted.id)?.state).toBe('succeeded');
  // The ledger refused this change after the range that was pruned, so no person has to decide about it.
  await expect.poll(async () => (await states()).get(refused.id)?.state).toBe('rejected');
  world.ledger.complete({ submissionId: 's', status: REFUSED });
  await expect.poll(async () => (await states()).get(doubtful.id)?.state).toBe('rejected');
});

test('a renewal’s change still names its licence afterwards', async () => {
  await using world = await ProjectorWorld.open();
  const projector = await world.ready();
  const [one, asked] = [license(1n), renewal(1n)];
  const at = world.ledger.create(one, asked);
  await expect.poll(() => reached(projector)).toBe(at);
  const of = await lifecycle(world, one);
  const open = openChange({ operation: 'complete-renewal', fixed: { licenseId: of!.id } });
  await arrive(world.store, open);
  await ask(world, false);
  const [found] = await world.store.reads.changesById([open.id], io());
  expect(found?.fixed).toEqual({ licenseId: of!.id });
  expect(await world.store.reads.lifecycle(of!.id, io())).toMatchObject({
    lifecycle: { contractId: one.contractId },
  });
});

test('another ledger is refused, a second request waits its turn, and one that nobody takes is withdrawn', async () => {
  await using world = await ProjectorWorld.open();
  const alone = askForRebuild({
    databaseUrl: world.under.url,
    isDryRun: true,
    by: 'somebody',
    waitMs: 300,
  });
  await expect(alone).rejects.toThrow('no projector has answered');
  const first = world.start();
  await ready(first).toBe('ok');
  const at = world.ledger.create(install());
  await expect.poll(() => reached(first)).toBe(at);
  await first.stop();
  world.ledger.updates.length = 0;
  Object.assign(world.ledger, { history: 'other' });
  world.ledger.transact([], at);
  const before = await everything(world);
  const waiting = ask(world, false);
  const second = askForRebuild({
    databaseUrl: world.under.url,
    isDryRun: true,
    by: 'somebody',
    waitMs: 5_000,
  });
  const outcomes = Promise.allSettled([waiting, second]);
  world.start();
  const words = (await outcomes).map((outcome) =>
    outcome.status === 'rejected' ? String(outcome.reason) : 'done',
  );
  expect(words.toSorted()).toEqual([
    expect.stringContaining('another rebuild is already requested'),
    expect.stringContaining('the participant has another ledger'),
  ]);
  expect(await everything(world)).toEqual(before);
});
