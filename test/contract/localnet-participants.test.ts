import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../kit/patience.ts';
import { forFile } from '../kit/for-file.ts';
import { change, completionOf, ledgerEnd, SUBMIT } from './kit/commands.ts';
import type { ChangeOptions } from './kit/commands.ts';
import { Control } from './kit/faults.ts';
import { ACS_DELTA, updatesOf } from './kit/formats.ts';
import { http } from './kit/http.ts';
import { PROVIDER_ADMIN, USER_ADMIN } from './kit/identities.ts';
import { createRequest } from './kit/licensing.ts';
import { openNetwork } from './kit/network.ts';
import { activeIds, transact } from './kit/steps.ts';
import { checkpointsIn, completionsIn, hasPassed, Tail, transactionsIn } from './kit/streams.ts';

/*
 * States of participants in relation to their synchronizer, which a test sets: behind, stopped, disconnected, without
 * traffic credit; and two participants that host one party.
 */

const network = await forFile(openNetwork());
const control = new Control(network);
const ofUser = network.as(USER_ADMIN);
const ofProvider = network.as(PROVIDER_ADMIN);
const user = await network.party('user', USER_ADMIN);
const provider = await network.party('provider', PROVIDER_ADMIN);
afterEach(() => control.clear());

const request = (options: Partial<ChangeOptions> = {}) =>
  change(createRequest({ user, provider }), { actAs: [user], ...options });
const USER_SIDE = { where: { participant: 'app-user' } };

interface ToldParticipant {
  readonly ledgerEnd: string;
  readonly recordTime: string;
  readonly isBehind: boolean;
  readonly isStopped: boolean;
  readonly traffic: { readonly balance: number | null; readonly spent: number };
}
const told = async (): Promise<Record<'app-user' | 'app-provider' | 'sv', ToldParticipant>> =>
  (await control.ask('/participants')).json as never;

describe('a participant that is behind', () => {
  test('answers with what it has, its streams stand still, and it catches up', async () => {
    const begin = await ledgerEnd(ofUser);
    const updateFormat = updatesOf(ACS_DELTA, [user]);
    await using tail = new Tail((options) =>
      ofUser.updates.getUpdates({ beginExclusive: begin, updateFormat }, options),
    );
    await tail.until((seen) => checkpointsIn(seen).length > 0);
    const fault = await control.fault({ kind: 'behind', ...USER_SIDE });
    expect((await told())['app-user'].isBehind).toBe(true);

    const known = await activeIds(ofUser, user);
    const commands = request();
    await ofUser.submission.submit({ commands });
    // The provider sees the contract, because its participant is not behind.
    await vi.waitFor(async () => {
      expect(await activeIds(ofProvider, provider)).toHaveLength(1);
    }, PATIENCE_MS);
    expect(await ledgerEnd(ofUser)).toBe(begin);
    expect(await activeIds(ofUser, user)).toEqual(known);
    expect(tail.seen).toHaveLength(1);

    await control.remove(fault.id);
    await tail.until((seen) => transactionsIn(seen).length === 1);
    const completion = await completionOf(ofUser, commands, begin);
    expect(completion.status!.code).toBe(0);
    expect(await activeIds(ofUser, user)).toHaveLength(known.length + 1);
    expect((await told())['app-user'].isBehind).toBe(false);
  });

  test('may be told so for a while', async () => {
    const end = await ledgerEnd(ofUser);
    await control.fault({ kind: 'behind', ...USER_SIDE, seconds: 0.3 });
    const { offset } = await transact(ofUser, request());
    expect(offset).toBeGreaterThan(end);
  });
});

describe('a participant that is stopped', () => {
  test('reads a request when it goes on, at that time, though its caller has given up', async () => {
    const begin = await ledgerEnd(ofUser);
    const fault = await control.fault({ kind: 'stopped', ...USER_SIDE });
    const commands = request();
    const abandoned = ofUser.submission.submit({ commands }, { signal: AbortSignal.timeout(200) });
    await expect(abandoned).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(await told()).toMatchObject({ 'app-user': { isStopped: true } });
    const resumedAtMs = Date.now();
    await control.remove(fault.id);
    const completion = await vi.waitFor(() => completionOf(ofUser, commands, begin), PATIENCE_MS);
    expect(completion.status!.code).toBe(0);
    const { update } = await ofUser.updates.getUpdateById({
      updateId: completion.updateId,
      updateFormat: updatesOf(ACS_DELTA, [user]),
    });
    const effectiveAt = update?.$case === 'transaction' ? update.value.effectiveAt : undefined;
    const ledgerTimeMs = Number(effectiveAt!.seconds) * 1000 + effectiveAt!.nanos / 1e6;
    expect(ledgerTimeMs).toBeGreaterThanOrEqual(resumedAtMs);
  });

  test('says nothing on open streams and over HTTP, and the others go on', async () => {
    const begin = await ledgerEnd(ofUser);
    await using tail = new Tail((options) =>
      ofUser.completions.completionStream({ parties: [user], beginExclusive: begin }, options),
    );
    await tail.until(hasPassed(begin));
    const said = tail.seen.length;
    const fault = await control.fault({ kind: 'stopped', ...USER_SIDE });
    const url = `${network.localnet.urls.participants['app-user'].json}/v2/state/ledger-end`;
    const answered = http(network, url, { as: USER_ADMIN });
    const submitted = ofUser.submission.submit({ commands: request() });
    await ofProvider.state.getLedgerEnd({});
    expect(tail.seen).toHaveLength(said);
    await control.remove(fault.id);
    await submitted;
    expect((await answered).status).toBe(200);
    await tail.until((seen) => completionsIn(seen).length === 1);
  });
});

test('a participant is away until it is told to come back', async () => {
  const fault = await control.fault({ kind: 'down', ...USER_SIDE });
  const ask = (): Promise<unknown> => ofUser.state.getLedgerEnd({});
  await expect(ask()).rejects.toMatchObject({ status: 'UNAVAILABLE' });
  const url = `${network.localnet.urls.participants['app-user'].json}/v2/state/ledger-end`;
  await expect(http(network, url, { as: USER_ADMIN })).rejects.toThrow();
  const { offset } = await ofProvider.state.getLedgerEnd({});
  expect(offset).toBeGreaterThan(0n);
  await control.remove(fault.id);
  await vi.waitFor(ask, PATIENCE_MS);
});

test('a submission that gets lost is rejected at its max sequencing time', async () => {
  await using net = await openNetwork({ ledgerTimeToleranceMs: 500 });
  const admin = net.as(USER_ADMIN);
  const party = await net.party('user', USER_ADMIN);
  await new Control(net).fault({ kind: 'lose', times: 1 });
  const outcome = await SUBMIT.submit(
    admin,
    change(createRequest({ user: party, provider: party }), { actAs: [party] }),
  );
  expect(outcome).toMatchObject({
    kind: 'refused',
    by: 'completion',
    refusal: { status: 'ABORTED', reason: 'NOT_SEQUENCED_TIMEOUT' },
  });
});

describe('traffic', () => {
  test('that has run out ends submissions, and is topped up from outside', async () => {
    await using net = await openNetwork();
    const admin = net.as(USER_ADMIN);
    const party = await net.party('user', USER_ADMIN);
    const here = new Control(net);
    const traffic = (body: object) =>
      here.ask('/traffic', { body: { participant: 'app-user', ...body } });
    const submit = () =>
      SUBMIT.submit(
        admin,
        change(createRequest({ user: party, provider: party }), { actAs: [party] }),
      );
    expect((await traffic({ balance: 0, refusedAt: 'sequencing' })).json).toMatchObject({
      traffic: { balance: 0, spent: 0, refusedAt: 'sequencing' },
    });
    expect(await submit()).toMatchObject({
      by: 'completion',
      refusal: { status: 'FAILED_PRECONDITION', reason: 'SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT' },
    });
    await traffic({ refusedAt: 'sending' });
    expect(await submit()).toMatchObject({
      by: 'completion',
      refusal: { status: 'ABORTED', reason: 'SEQUENCER_REQUEST_FAILED' },
    });
    await traffic({ topUp: 1_000_000 });
    expect(await submit()).toMatchObject({ kind: 'accepted' });
    const participants = (await here.ask('/participants')).json as never;
    const { spent, balance } = participants['app-user']['traffic'] as Record<string, number>;
    expect(spent).toBeGreaterThan(0);
    expect(balance).toBe(1_000_000 - spent!);
  });

  test('costs are told with the completion, and with the transaction to whoever submitted it', async () => {
    const begin = await ledgerEnd(ofUser);
    const commands = request();
    const { paidTrafficCost, updateId } = await transact(ofUser, commands);
    expect(paidTrafficCost).toBeGreaterThan(0n);
    const completion = await completionOf(ofUser, commands, begin);
    expect(completion.paidTrafficCost).toBe(paidTrafficCost);
    const { update } = await ofProvider.updates.getUpdateById({
      updateId,
      updateFormat: updatesOf(ACS_DELTA, [provider]),
    });
    expect(update).toMatchObject({ $case: 'transaction', value: { updateId } });
    expect(update?.$case === 'transaction' && update.value.paidTrafficCost).toBeUndefined();
  });

  test.each([
    { participant: 'nobody', balance: 1 },
    { participant: 'app-user', balance: -1 },
    { participant: 'app-user', balance: 1, topUp: 1 },
    { participant: 'app-user', topUp: 1 },
  ])('is not set like this: %o', async (body) => {
    expect((await control.ask('/traffic', { body })).status).toBe(400);
  });
});

describe('a party on two participants', () => {
  test('is seen and submits from both, also after a restart', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'localnet-hosting-'));
    try {
      const first = await openNetwork({ dataDir });
      const party = await first.party('twice', USER_ADMIN);
      const create = () =>
        change(createRequest({ user: party, provider: party }), { actAs: [party] });
      await transact(first.as(USER_ADMIN), create());
      const hosting = { party, participant: 'app-provider' };
      const here = new Control(first);
      const { json } = await here.ask('/hostings', { body: hosting });
      expect(json).toEqual({ party, participants: ['app-user', 'app-provider'] });
      expect((await here.ask('/hostings', { body: hosting })).status).toBe(400);
      await first[Symbol.asyncDispose]();

      await using second = await openNetwork({ dataDir });
      const [here1, there] = [second.as(USER_ADMIN), second.as(PROVIDER_ADMIN)];
      await there.userAdmin.grantUserRights({
        userId: PROVIDER_ADMIN.userId,
        rights: [{ kind: { $case: 'canActAs', value: { party } } }],
      });
      const commands = { ...create(), commandId: 'the-same' };
      await transact(here1, commands);
      await transact(there, commands);
      const ids = await activeIds(here1, party);
      expect(ids).toHaveLength(3);
      expect(new Set(await activeIds(there, party))).toEqual(new Set(ids));
      await expect(transact(there, commands)).rejects.toMatchObject({
        reason: 'DUPLICATE_COMMAND',
      });
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});

test('time passes for a participant when it is asked to', async () => {
  const before = await told();
  const { json, status } = await control.ask('/tick', { body: { participant: 'sv' } });
  expect(status).toBe(200);
  const after = json as typeof before;
  expect(after.sv.recordTime > before.sv.recordTime).toBe(true);
  expect(after['app-user']).toEqual(before['app-user']);
});

test('all of it is described', async () => {
  const { json } = await control.ask('');
  const { operations, $defs } = json as {
    operations: readonly { readonly path: string }[];
    $defs: Readonly<Record<string, unknown>>;
  };
  const paths = operations.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      '/control/participants',
      '/control/traffic',
      '/control/tick',
      '/control/hostings',
      '/control/packages',
      '/control/packages/{package}',
    ]),
  );
  expect(Object.keys($defs)).toEqual(expect.arrayContaining(['setTraffic', 'tick', 'hosting']));
});
