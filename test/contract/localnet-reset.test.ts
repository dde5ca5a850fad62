import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { change, ledgerEnd } from './kit/commands.ts';
import { Control } from './kit/faults.ts';
import { ACS_DELTA, updatesOf } from './kit/formats.ts';
import { http } from './kit/http.ts';
import { USER_ADMIN } from './kit/identities.ts';
import { createRequest } from './kit/licensing.ts';
import { spawnNetwork } from './kit/network-process.ts';
import { Network, openNetwork } from './kit/network.ts';
import type { NetworkAddress } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { activeIds, newRequest } from './kit/steps.ts';
import { hasPassed, Tail } from './kit/streams.ts';
import { PATIENCE_MS } from '../kit/patience.ts';

/* A network is reset, so that another ledger is at the same addresses. Clients must be able to detect this. */

let dataDir = '';
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tenure-reset-'));
});
afterEach(async () => {
  await rm(dataDir, { recursive: true, force: true });
});

interface ToldLedger {
  readonly networkId: string;
  readonly participants: Readonly<Record<string, { ledgerEnd: string; prunedUpTo: string }>>;
}

const told = async <A extends NetworkAddress>(network: Network<A>): Promise<ToldLedger> =>
  (await new Control(network).ask('/ledger')).json as ToldLedger;
const reset = <A extends NetworkAddress>(network: Network<A>, networkId: string) =>
  new Control(network).ask('/reset', { body: { networkId } });
const journal = () => readFile(join(dataDir, 'journal.jsonl'), 'utf8');

describe('a reset', () => {
  test('is another ledger at the same addresses: nothing is left, and clients see it', async () => {
    await using network = await openNetwork({ dataDir });
    const { ports } = network.localnet;
    const { appUser, dso } = network.localnet.parties;
    const before = await told(network);
    const ledger = network.as(USER_ADMIN);
    const oldToken = await network.tokens.of(USER_ADMIN);
    const { contractId } = await newRequest(ledger, { user: appUser, provider: appUser });
    for (let i = 0; i < 15; i += 1) await newRequest(ledger, { user: appUser, provider: appUser });
    const oldEnd = await ledgerEnd(ledger);
    await new Control(network).fault({ kind: 'hold', where: { method: 'GetUpdates' } });
    await using open = new Tail((options) =>
      ledger.completions.completionStream({ parties: [appUser], beginExclusive: 0n }, options),
    );
    await open.until(hasPassed(oldEnd));

    const { status, json } = await reset(network, before.networkId);
    expect(status).toBe(200);
    const after = json as ToldLedger;
    expect(after.networkId).not.toBe(before.networkId);
    expect(after).toEqual(await told(network));
    expect(await open.end()).toMatchObject({
      status: 'UNAVAILABLE',
      reason: 'SERVICE_NOT_RUNNING',
    });
    expect(network.localnet.ports).toEqual(ports);
    expect(network.localnet.ledger.networkId).toBe(after.networkId);
    expect(await journal()).not.toContain(contractId);
    expect((await new Control(network).all()).faults).toEqual([]);

    // The keys are new, so tokens of the previous network are refused.
    const json2 = `${network.localnet.urls.participants['app-user'].json}/v2/state/ledger-end`;
    expect((await http(network, json2, { as: `Bearer ${oldToken}` })).status).toBe(401);
    await using again = seenAnew(network);
    const newLedger = again.as(USER_ADMIN);
    expect(await activeIds(newLedger, appUser)).not.toContain(contractId);
    expect(await ledgerEnd(newLedger)).toBeLessThan(oldEnd);
    const stale = newLedger.updates.getUpdates({
      beginExclusive: oldEnd,
      updateFormat: updatesOf(ACS_DELTA, [appUser]),
    });
    expect(await refusalOf(stale[Symbol.asyncIterator]().next() as Promise<unknown>)).toMatchObject(
      { status: 'OUT_OF_RANGE', reason: 'OFFSET_AFTER_LEDGER_END' },
    );
    // The new ledger has the same parties, because configuration files contain them.
    await newRequest(newLedger, { user: appUser, provider: appUser });
    expect(network.localnet.parties).toMatchObject({ appUser, dso });
    const page = `${network.localnet.urls.network}/registry/metadata/v1/info`;
    expect((await http(network, page)).json).toMatchObject({ adminId: dso });
  });

  test('outlives the process: what starts next has the new ledger', async () => {
    let networkId = '';
    {
      await using network = await openNetwork({ dataDir });
      const before = await told(network);
      ({ networkId } = (await reset(network, before.networkId)).json as ToldLedger);
    }
    await using network = await openNetwork({ dataDir });
    expect((await told(network)).networkId).toBe(networkId);
  });

  test('that names another ledger is refused, so asking twice does not reset twice', async () => {
    await using network = await openNetwork();
    const before = await told(network);
    const first = await reset(network, before.networkId);
    const second = await reset(network, before.networkId);
    expect([first.status, second.status]).toEqual([200, 409]);
    expect(second.json).toEqual({ error: expect.stringContaining('The ledger here is') });
    expect(await told(network)).toEqual(first.json);
    const together = await Promise.all(
      [1, 2, 3].map(() => reset(network, (first.json as ToldLedger).networkId)),
    );
    const statuses = together.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.every((status) => [200, 409, 503].includes(status))).toBe(true);
  });

  test('needs to know which ledger is meant', async () => {
    await using network = await openNetwork();
    const before = await told(network);
    for (const body of [{}, { networkId: 5 }, { networkId: 'x', more: 1 }, undefined]) {
      const request = { method: 'POST', ...(body === undefined ? {} : { body }) };
      const { status, json } = await new Control(network).ask('/reset', request);
      expect([status, json]).toEqual([400, { error: expect.any(String) }]);
    }
    expect(await told(network)).toEqual(before);
  });

  test('of a network of one participant works alike', async () => {
    await using network = await openNetwork({ isSingle: true, dataDir });
    const { appUser } = network.localnet.parties;
    await newRequest(network.as(USER_ADMIN), { user: appUser, provider: appUser });
    const before = await told(network);
    const { json } = await reset(network, before.networkId);
    expect(Object.keys((json as ToldLedger).participants)).toEqual(['app-provider']);
    await using again = seenAnew(network);
    expect(await activeIds(again.as(USER_ADMIN), appUser)).toEqual([]);
  });
});

test('faults cost nothing that was accepted when the process is killed in the middle of them', async () => {
  const accepted: string[] = [];
  let user = '';
  {
    await using network = await spawnNetwork(dataDir);
    user = network.localnet.parties.appUser;
    const control = new Control(network);
    const ledger = network.as(USER_ADMIN);
    for (const body of [
      { kind: 'drop-after', how: 'reset', chance: 0.3, seed: 'a' },
      { kind: 'reject', code: 'MEDIATOR_SAYS_TX_TIMED_OUT', chance: 0.2, seed: 'b' },
      { kind: 'withhold', chance: 0.3, seed: 'c' },
      { kind: 'slow-ledger', ms: 1, msMax: 5 },
    ]) {
      await control.fault(body);
    }
    for (let i = 0; i < 30; i += 1) {
      const commandId = `killed-${i}`;
      const create = createRequest({ user, provider: user });
      const commands = change(create, { actAs: [user], commandId });
      await ledger.commands.submitAndWait({ commands }).then(
        () => accepted.push(commandId),
        () => undefined,
      );
    }
    await control.fault({ kind: 'hold' });
    expect(await network.kill()).toBe('SIGKILL');
  }
  await using network = await spawnNetwork(dataDir);
  expect((await new Control(network).all()).faults).toEqual([]);
  const ledger = network.as(USER_ADMIN);
  const end = await ledgerEnd(ledger);
  await using tail = new Tail((options) =>
    ledger.completions.completionStream({ parties: [user], beginExclusive: 0n }, options),
  );
  await tail.until(hasPassed(end));
  const known = tail.seen.flatMap(({ completionResponse }) =>
    completionResponse?.$case === 'completion' && completionResponse.value.status?.code === 0
      ? [completionResponse.value.commandId]
      : [],
  );
  expect(accepted.length).toBeGreaterThan(5);
  expect(known).toEqual(expect.arrayContaining(accepted));
  expect(await activeIds(ledger, user)).toHaveLength(known.length);
});

test('a process that is told to stop does so at once, whatever faults hold back', async () => {
  const network = await spawnNetwork(dataDir);
  const control = new Control(network);
  const ledger = network.as(USER_ADMIN);
  await ledgerEnd(ledger);
  const held = await control.fault({ kind: 'hold' });
  const waiting = refusalOf(ledger.state.getLedgerEnd({}));
  await expect.poll(async () => (await control.told(held.id)).struck).toBe(1);
  await control.fault({ kind: 'delay', ms: 60_000, where: { method: 'GetParticipantId' } });
  const startedMs = performance.now();
  await network[Symbol.asyncDispose]();
  // If the network did not stop by itself, it would be killed, but only later than this.
  expect(performance.now() - startedMs).toBeLessThan(PATIENCE_MS / 2);
  await waiting;
});

/** Returns a network at the same addresses, as a client sees it that has no connections or tokens yet. */
const seenAnew = <A extends NetworkAddress>({ localnet }: Network<A>): Network<A> =>
  new Network(localnet, () => Promise.resolve());
