import { connect } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { again, change, completionOf, ledgerEnd, SUBMIT } from './kit/commands.ts';
import type { ChangeOptions } from './kit/commands.ts';
import { Control } from './kit/faults.ts';
import { http } from './kit/http.ts';
import { PROVIDER_ADMIN, USER_ADMIN, USER_PERSON } from './kit/identities.ts';
import { archive, createRequest, REQUEST } from './kit/licensing.ts';
import { openNetwork } from './kit/network.ts';
import { refusalOf, refusalOfStatus } from './kit/refusal.ts';
import { activeIds, newRequest } from './kit/steps.ts';
import { completionsIn, hasPassed, readUntil, Tail } from './kit/streams.ts';
import { PATIENCE_MS } from '../kit/patience.ts';

/*
 * Faults that do not affect single calls, but tokens, participants, clocks, deduplication windows, and other interfaces
 * that a client needs.
 */

const network = await forFile(openNetwork());
const control = new Control(network);
const ledger = network.as(USER_ADMIN);
const user = await network.party('user', USER_ADMIN);
afterEach(() => control.clear());

const request = (options: Partial<ChangeOptions> = {}) =>
  change(createRequest({ user, provider: user }), { actAs: [user], ...options });
const completions = (beginExclusive: bigint) => (options: { signal: AbortSignal }) =>
  ledger.completions.completionStream({ parties: [user], beginExclusive }, options);

describe('tokens that count as expired', () => {
  /** Returns a token that no participant has seen yet. */
  const newToken = async (): Promise<string> => {
    const answer = await fetch(network.localnet.urls.tokenEndpoints.AppUser, {
      method: 'POST',
      body: new URLSearchParams(USER_ADMIN.grant),
    });
    return ((await answer.json()) as { access_token: string }).access_token;
  };

  test('are refused, end their streams, and new ones are taken', async () => {
    const begin = await ledgerEnd(ledger);
    await using tail = new Tail(completions(begin));
    await tail.until(hasPassed(begin));
    await control.fault({ kind: 'expire-tokens', where: { participant: 'app-user' } });
    expect(await tail.end()).toMatchObject({ status: 'ABORTED', reason: 'ACCESS_TOKEN_EXPIRED' });
    const refusal = await refusalOf(ledger.state.getLedgerEnd({}));
    expect(refusal).toMatchObject({ status: 'UNAUTHENTICATED', reason: undefined });
    const json = `${network.localnet.urls.participants['app-user'].json}/v2/state/ledger-end`;
    expect((await http(network, json, { as: USER_ADMIN })).status).toBe(401);
    const token = await newToken();
    await network.bearing('app-user', () => token).state.getLedgerEnd({});
    await network.as(PROVIDER_ADMIN).state.getLedgerEnd({});
    await control.clear();
    await ledger.state.getLedgerEnd({});
  });

  test('may be all of them, of one user', async () => {
    await control.fault({
      kind: 'expire-tokens',
      which: 'all',
      where: { user: USER_ADMIN.userId },
    });
    const token = await newToken();
    const fresh = network.bearing('app-user', () => token);
    expect(await refusalOf(fresh.state.getLedgerEnd({}))).toMatchObject({
      status: 'UNAUTHENTICATED',
    });
    await network.as(USER_PERSON).state.getLedgerEnd({});
  });
});

describe('a participant that is restarted', () => {
  const isOpen = (port: number): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect({ port, host: '127.0.0.1' });
      socket.once('connect', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });

  test('drops everything, closes its port, and comes back with what it had', async () => {
    const { ports, urls } = network.localnet;
    const port = ports.participants['app-user'].ledger;
    const { contractId } = await newRequest(ledger, { user, provider: user });
    const end = await ledgerEnd(ledger);
    await using tail = new Tail(completions(0n));
    await tail.until(hasPassed(end));
    await control.fault({ kind: 'restart', downMs: 2_000, where: { participant: 'app-user' } });
    expect(await tail.end()).toMatchObject({ status: 'UNAVAILABLE' });
    expect(await isOpen(port)).toBe(false);
    const { json } = urls.participants['app-user'];
    await expect(fetch(`${json}/livez`)).rejects.toThrow('fetch failed');
    const body = { kind: 'restart', where: { participant: 'app-user' } };
    const twice = await control.ask('/faults', { body });
    expect([twice.status, twice.json]).toEqual([409, { error: expect.stringContaining('down') }]);
    // The other participants still answer.
    await network.as(PROVIDER_ADMIN).state.getLedgerEnd({});
    await vi.waitFor(async () => expect(await isOpen(port)).toBe(true), PATIENCE_MS);
    await vi.waitFor(async () => expect(await ledgerEnd(ledger)).toBe(end), PATIENCE_MS);
    expect(await activeIds(ledger, user)).toContain(contractId);
    expect((await fetch(`${json}/livez`)).status).toBe(200);
    const after = completionsIn(await readUntil(completions(0n), hasPassed(end)));
    expect(after).toEqual(completionsIn(tail.seen));
  });

  test('has applied what was on its way, and tells whoever asks again', async () => {
    await using slow = await openNetwork({ latencyMs: 1_000 });
    const admin = slow.as(USER_ADMIN);
    const party = await slow.party('user', USER_ADMIN);
    const create = createRequest({ user: party, provider: party });
    const commands = change(create, { actAs: [party] });
    const begin = await ledgerEnd(admin);
    const waiting = refusalOf(admin.commands.submitAndWait({ commands }));
    await vi.waitFor(
      async () =>
        expect(
          await refusalOf(admin.submission.submit({ commands: again(commands) })),
        ).toMatchObject({ reason: 'SUBMISSION_ALREADY_IN_FLIGHT' }),
      PATIENCE_MS,
    );
    await new Control(slow).fault({ kind: 'restart', downMs: 0 });
    expect(await waiting).toMatchObject({ status: 'UNAVAILABLE' });
    const completion = await vi.waitFor(() => completionOf(admin, commands, begin), PATIENCE_MS);
    expect(completion.status!.code).toBe(0);
    expect(await activeIds(admin, party)).toHaveLength(1);
  });
});

describe('clocks that are wrong', () => {
  test('of a participant: too far off, and nothing takes effect', async () => {
    await using net = await openNetwork();
    const admin = net.as(USER_ADMIN);
    const party = await net.party('user', USER_ADMIN);
    const route = () =>
      SUBMIT.submit(
        admin,
        change(createRequest({ user: party, provider: party }), { actAs: [party] }),
      );
    const here = new Control(net);
    // The participant has seen record times that are later than any at which this submission could be sequenced.
    const late = { by: 'call', reason: 'NOT_SEQUENCED_TIMEOUT' };
    const early = { by: 'completion', reason: 'LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND' };
    for (const [bySeconds, { by, reason }] of [
      [-90, late],
      [90, early],
    ] as const) {
      await here.fault({ kind: 'skew', bySeconds, where: { participant: 'app-user' } });
      const refusal = { status: 'ABORTED', reason };
      expect(await route()).toMatchObject({ kind: 'refused', by, refusal });
      await here.clear();
    }
    await here.fault({ kind: 'skew', bySeconds: 30, where: { participant: 'app-user' } });
    expect(await route()).toMatchObject({ kind: 'accepted' });
    expect(await activeIds(admin, party)).toHaveLength(1);
  });

  test('of the ledger: ahead for a while, and never back', async () => {
    await using net = await openNetwork();
    const admin = net.as(USER_ADMIN);
    const party = await net.party('user', USER_ADMIN);
    const here = new Control(net);
    /** Returns the record time of a new transaction, in seconds from now. */
    const ahead = async (): Promise<number> => {
      const begin = await ledgerEnd(admin);
      const commands = change(createRequest({ user: party, provider: party }), { actAs: [party] });
      await admin.submission.submit({ commands });
      const { synchronizerTime, status } = await completionOf(admin, commands, begin);
      expect(status!.code).toBe(0);
      const { seconds, nanos } = synchronizerTime!.recordTime!;
      const nowMicros = seconds * 1_000_000n + BigInt(Math.floor(nanos / 1_000));
      expect(nowMicros).toBeGreaterThan(last);
      last = nowMicros;
      return Number(nowMicros - BigInt(Date.now()) * 1_000n) / 1_000_000;
    };
    let last = 0n;
    expect(Math.abs(await ahead())).toBeLessThan(30);
    const { id } = await here.fault({ kind: 'skew', bySeconds: 3_600 });
    expect(await ahead()).toBeGreaterThan(3_500);
    await here.remove(id);
    expect(await ahead()).toBeGreaterThan(3_400);
    await here.fault({ kind: 'skew', bySeconds: -600 });
    expect(await ahead()).toBeGreaterThan(3_400);
  });

  test('of a ledger whose time is static: somebody else sets it', async () => {
    await using net = await openNetwork({ staticTime: '2026-11-21T12:00:00Z' });
    const here = new Control(net);
    const { status, json } = await here.ask('/faults', { body: { kind: 'skew', bySeconds: 5 } });
    expect([status, json]).toEqual([409, { error: expect.stringContaining('static') }]);
    expect((await here.all()).faults).toEqual([]);
  });
});

describe('a participant that is made to forget', () => {
  test('does so once its window allows it, and a client that asks for the past is told', async () => {
    await using net = await openNetwork();
    const admin = net.as(USER_ADMIN);
    const party = await net.party('user', USER_ADMIN);
    const here = new Control(net);
    const begin = await ledgerEnd(admin);
    const { contractId } = await newRequest(admin, { user: party, provider: party });
    // The last offset can never be pruned, so the completion that the test needs must not be the last one.
    const { contractId: second } = await newRequest(admin, { user: party, provider: party });
    const where = { participant: 'app-user' };
    const refused = await here.ask('/faults', { body: { kind: 'prune', where } });
    expect([refused.status, refused.json]).toEqual([
      409,
      { error: expect.stringContaining('deduplication window') },
    ]);
    const window = await here.fault({ kind: 'deduplication-window', ms: 10, where });
    const pruned = await vi.waitFor(async () => {
      const { status, json } = await here.ask('/faults', { body: { kind: 'prune', where } });
      expect(status).toBe(201);
      return json as { id: string };
    }, PATIENCE_MS);
    expect(await here.told(pruned.id)).toMatchObject({ state: 'spent', struck: 1 });
    await here.remove(window.id);

    const { participantPrunedUpToInclusive: upTo } = await admin.state.getLatestPrunedOffsets({});
    expect(upTo).toBeGreaterThan(begin);
    const stream = admin.completions.completionStream({ parties: [party], beginExclusive: begin });
    expect(
      await refusalOf(stream[Symbol.asyncIterator]().next() as Promise<unknown>),
    ).toMatchObject({
      reason: 'PARTICIPANT_PRUNED_DATA_ACCESSED',
      metadata: { earliest_offset: upTo.toString() },
    });
    const commands = change(archive(REQUEST, contractId), {
      actAs: [party],
      deduplication: { offset: begin },
    });
    expect(await SUBMIT.submit(admin, commands)).toMatchObject({
      kind: 'refused',
      refusal: { reason: 'INVALID_DEDUPLICATION_PERIOD' },
    });
    expect(await activeIds(admin, party)).toEqual([contractId, second]);
    expect((await here.ask('/ledger')).json).toMatchObject({
      participants: { 'app-user': { prunedUpTo: upTo.toString() }, sv: { prunedUpTo: '0' } },
    });
  });

  test.each([
    [{ upTo: '999999', where: { participant: 'app-user' } }, 400, 'before ledger end'],
    [{ upTo: '5' }, 400, 'name it'],
    [{ upTo: '-5', where: { participant: 'app-user' } }, 400, 'upTo'],
  ])('refuses %j', async (fields, status, reason) => {
    const answer = await control.ask('/faults', { body: { kind: 'prune', ...fields } });
    expect([answer.status, answer.json]).toEqual([
      status,
      { error: expect.stringContaining(reason) },
    ]);
  });
});

test('a ledger that takes its time decides in order', async () => {
  const begin = await ledgerEnd(ledger);
  const { id } = await control.fault({ kind: 'slow-ledger', ms: 1_000 });
  const [first, second] = [request(), request()];
  await ledger.submission.submit({ commands: first });
  expect(await refusalOf(ledger.submission.submit({ commands: again(first) }))).toMatchObject({
    reason: 'SUBMISSION_ALREADY_IN_FLIGHT',
  });
  await control.remove(id);
  await ledger.submission.submit({ commands: second });
  const seen = await readUntil(completions(begin), (found) => completionsIn(found).length === 2);
  expect(completionsIn(seen).map(({ commandId }) => commandId)).toEqual([
    first.commandId,
    second.commandId,
  ]);
  expect(refusalOfStatus(completionsIn(seen)[1]!.status!).reason).toBeUndefined();
});

describe('what is away', () => {
  const place = (surface: string): string => {
    const { urls } = network.localnet;
    return {
      auth: `${urls.auth}/realms/AppUser/.well-known/openid-configuration`,
      registry: `${urls.registry}/registry/metadata/v1/info`,
      json: `${urls.participants['app-user'].json}/livez`,
      validator: `${urls.participants['app-user'].validator}/api/validator/readyz`,
    }[surface]!;
  };

  test.each(['auth', 'registry', 'json', 'validator'])(
    '%s: refuses, resets or says nothing, and is back afterwards',
    async (surface) => {
      await control.fault({ kind: 'away', surface, times: 1 });
      expect((await fetch(place(surface))).status).toBe(503);
      await control.fault({ kind: 'away', surface, how: 'reset', times: 1 });
      await expect(fetch(place(surface))).rejects.toThrow('fetch failed');
      await control.fault({ kind: 'away', surface, how: 'silence', times: 1 });
      const signal = AbortSignal.timeout(200);
      await expect(fetch(place(surface), { signal })).rejects.toMatchObject({
        name: 'TimeoutError',
      });
      expect((await fetch(place(surface))).status).toBe(200);
    },
  );

  test('at one participant is there at the others, and the registry is away at both its ports', async () => {
    await control.fault({ kind: 'away', surface: 'json', where: { participant: 'app-provider' } });
    expect((await fetch(place('json'))).status).toBe(200);
    await control.fault({ kind: 'away', surface: 'registry' });
    const { network: page } = network.localnet.urls;
    expect((await fetch(`${page}/registry/metadata/v1/info`)).status).toBe(503);
    expect((await control.ask('/time')).status).toBe(200);
  });
});
