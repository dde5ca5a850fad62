import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readCommand, UsageError } from '../../kit/flags.ts';
import { startLocalnet } from '../../kit/index.ts';
import type { Localnet, LocalnetOptions, Snapshot } from '../../kit/index.ts';
import { lfPackage } from '../../localnet/lf/build/package.ts';
import { con } from '../../localnet/lf/build/types.ts';
import { NODE_FLAGS } from '../../src/main/node-flags.ts';
import { forFile } from '../kit/for-file.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { createLedgerClients, openChannel } from './kit/clients.ts';
import { darOf } from './kit/dar.ts';
import { ACS_DELTA, updatesOf } from './kit/formats.ts';
import { JsonLedger, LICENSE } from './kit/json-ledger.ts';
import { refusalOf } from './kit/refusal.ts';
import { Tail } from './kit/streams.ts';

/* The package `tenure-localnet` as its users use it: only through the object that it returns and its addresses. */

const run = promisify(execFile);
const PARTIES = { alice: 'app-user', bank: 'app-provider' } as const;
const shared = await forFile(startLocalnet({ parties: PARTIES, checkpointIntervalMs: 50 }));
const fresh = await shared.snapshot();

const alice = (localnet: Localnet = shared) => new JsonLedger(localnet, 'alice', 'app-user');
const bank = (localnet: Localnet = shared) => new JsonLedger(localnet, 'bank', 'app-provider');
const requestsOf = async (localnet: Localnet = shared) => (await alice(localnet).active()).length;

const channel = openChannel(shared.participants['app-user'].grpc);
afterAll(() => channel.close());
const clients = createLedgerClients(channel, () => shared.token('alice'));

describe('a snapshot', () => {
  beforeEach(() => shared.restore(fresh));

  test('brings back what was there, and takes away what came after it', async () => {
    await alice().request(shared.parties.bank);
    const one = await shared.snapshot();
    await alice().request(shared.parties.bank);
    expect(await requestsOf()).toBe(2);
    await shared.restore(one);
    expect([await requestsOf(), (await bank().active()).length]).toEqual([1, 1]);
    await alice().request(shared.parties.bank);
    await shared.restore(one);
    expect(await requestsOf()).toBe(1);
    await shared.restore(fresh);
    expect(await requestsOf()).toBe(0);
  });

  test('ends streams with the reason, and leaves addresses, tokens and open channels good', async () => {
    const { ports, parties } = shared;
    const token = await shared.token('alice');
    await using tail = new Tail((options) =>
      clients.updates.getUpdates(
        { beginExclusive: 0n, updateFormat: updatesOf(ACS_DELTA, [parties.alice]) },
        options,
      ),
    );
    await tail.until((seen) => seen.length > 0);
    await shared.restore(fresh);
    expect(await tail.end()).toMatchObject({
      status: 'UNAVAILABLE',
      reason: 'SERVICE_NOT_RUNNING',
    });
    expect([shared.ports, shared.parties]).toEqual([ports, parties]);
    expect((await clients.state.getLedgerEnd({})).offset).toBeGreaterThan(0n);
    const bearing = createLedgerClients(channel, () => token);
    await bearing.state.getLedgerEnd({});
  });

  test('tells a client that is ahead of it so', async () => {
    const { offset } = await clients.state.getLedgerEnd({});
    await alice().request(shared.parties.bank);
    await shared.restore(fresh);
    const stale = clients.updates.getUpdates({
      beginExclusive: offset + 1n,
      updateFormat: updatesOf(ACS_DELTA, [shared.parties.alice]),
    });
    const first = stale[Symbol.asyncIterator]().next() as Promise<unknown>;
    expect(await refusalOf(first)).toMatchObject({ reason: 'OFFSET_AFTER_LEDGER_END' });
  });

  test('is what another network begins with', async () => {
    await alice().request(shared.parties.bank);
    const seed = await shared.snapshot();
    await using other = await startLocalnet({ snapshot: seed, parties: PARTIES });
    expect(other.parties).toEqual(shared.parties);
    expect(await requestsOf(other)).toBe(1);
    await alice(other).request(other.parties.bank);
    expect([await requestsOf(other), await requestsOf()]).toEqual([2, 1]);
  });

  test.each<readonly [string, (seed: Snapshot) => Snapshot, string]>([
    ['that is none', () => new TextEncoder().encode('{}\n'), 'no snapshot'],
    ['that has no end of line', () => new Uint8Array(8), 'no snapshot'],
    ['that is damaged', (seed) => seed.with(seed.indexOf(0x0a) + 1, 0x20), 'cannot be read'],
  ])('%s is refused, and the ledger goes on', async (_what, damaged, words) => {
    await alice().request(shared.parties.bank);
    await expect(shared.restore(damaged(fresh))).rejects.toThrow(words);
    expect(await requestsOf()).toBe(1);
  });

  test('of another kind of network is refused', async () => {
    await using single = await startLocalnet({ isSingle: true });
    const seed = await single.snapshot();
    await expect(shared.restore(seed)).rejects.toThrow('other participants');
    await expect(startLocalnet({ snapshot: seed, isSingle: false })).rejects.toThrow('journal');
    await using again = await startLocalnet({ snapshot: seed });
    expect(again.participants.sv).toEqual(again.participants['app-user']);
  });

  test('is restored as often as it is asked for, one after the other', async () => {
    await alice().request(shared.parties.bank);
    const one = await shared.snapshot();
    await Promise.all([shared.restore(fresh), shared.restore(one), shared.restore(fresh)]);
    expect(await requestsOf()).toBe(0);
  });

  test.each(['registry', 'ledger'] as const)(
    'is restored though another socket had the port of the %s meanwhile',
    async (which) => {
      const { registry, participants } = shared.ports;
      const port = which === 'registry' ? registry : participants.sv.ledger;
      await alice().request(shared.parties.bank);
      const restored = shared.restore(fresh);
      const squatter = await listenAsSoonAsFree(port);
      await expect(Promise.race([restored, setTimeout(200, 'waits')])).resolves.toBe('waits');
      squatter.close();
      await restored;
      expect(await requestsOf()).toBe(0);
    },
  );
});

/** Listens on a port as soon as the port is free. */
async function listenAsSoonAsFree(port: number): Promise<Server> {
  for (;;) {
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
      return server;
    } catch {
      await setImmediate();
    }
  }
}

describe('a data folder', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tenure-kit-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  test('keeps the ledger, and what was restored', async () => {
    const options = { dataFolder: folder, parties: PARTIES } as const;
    let one: Snapshot;
    {
      await using first = await startLocalnet(options);
      await alice(first).request(first.parties.bank);
      one = await first.snapshot();
      await alice(first).request(first.parties.bank);
    }
    {
      await using second = await startLocalnet(options);
      expect(await requestsOf(second)).toBe(2);
      await second.restore(one);
      expect(await requestsOf(second)).toBe(1);
      await expect(second.restore(one.subarray(0, one.length - 1).with(300, 0))).rejects.toThrow();
      expect(await requestsOf(second)).toBe(1);
    }
    await using third = await startLocalnet(options);
    expect(await requestsOf(third)).toBe(1);
    expect(await readdir(folder)).toEqual(['journal.jsonl']);
    await expect(startLocalnet({ dataFolder: folder, snapshot: one })).rejects.toThrow('already');
  });
});

describe('time', () => {
  const DAY_MS = 86_400_000;
  const INSTRUMENT = { admin: shared.parties.dso, id: 'Amulet' };

  /** Requests the renewal of a new licence. The deadlines are a minute after the ledger time before `travel`. */
  async function renews(localnet: Localnet, travel: () => unknown): Promise<void> {
    const licence = await bank(localnet).licence();
    const now = localnet.now();
    const in60s = (afterMs: number) => new Date(now.getTime() + 60_000 + afterMs).toISOString();
    travel();
    await bank(localnet).exercise(licence, 'License_Renew', {
      requestId: 'r',
      licenseFeeInstrumentId: INSTRUMENT,
      licenseFeeAmount: '1.0',
      licenseExtensionDuration: { microseconds: '1' },
      requestedAt: now.toISOString(),
      prepareUntil: in60s(0),
      settleBefore: in60s(1),
      description: '',
    });
  }

  test('stands still where it is told to, and deadlines pass when it is advanced', async () => {
    const start = new Date('2030-01-01T00:00:00Z');
    await using localnet = await startLocalnet({ time: start, parties: { bank: 'app-provider' } });
    await renews(localnet, () => undefined);
    expect(localnet.now()).toEqual(start);
    const [licence] = await bank(localnet).active(LICENSE);
    expect(licence?.createArgument['expiresAt']).toBe('2030-01-01T00:00:00Z');
    await renews(localnet, () => localnet.advanceTime({ seconds: 59 }));
    const passed = renews(localnet, () => localnet.advanceTime({ minutes: 1 }));
    await expect(passed).rejects.toThrow("deadline 'prepareUntil'");
    const by = { hours: 1, minutes: 1, seconds: 1, milliseconds: 1 };
    expect(localnet.advanceTime(by)).toEqual(new Date('2030-01-01T01:03:00.001Z'));
    expect(localnet.setTime(new Date('2031-01-01T00:00:00Z')).getUTCFullYear()).toBe(2031);
    expect(() => localnet.setTime(start)).toThrow(RangeError);
    expect(() => localnet.advanceTime(-1)).toThrow(RangeError);
  });

  test('passes on from where it was advanced to, and goes back with a snapshot only', async () => {
    const before = shared.now();
    await shared.restore(fresh);
    const started = await shared.snapshot();
    expect(shared.advanceTime({ days: 30 }).getTime() - before.getTime()).toBeGreaterThanOrEqual(
      30 * DAY_MS,
    );
    await renews(shared, () => undefined);
    const passed = renews(shared, () => shared.advanceTime({ days: 1 }));
    await expect(passed).rejects.toThrow("deadline 'prepareUntil'");
    const far = await shared.snapshot();
    await shared.restore(started);
    expect(shared.now().getTime() - before.getTime()).toBeLessThan(DAY_MS);
    await shared.restore(far);
    expect(shared.now().getTime() - before.getTime()).toBeGreaterThanOrEqual(31 * DAY_MS);
    await alice().request(shared.parties.bank);
    await using other = await startLocalnet({ snapshot: far });
    expect(other.now().getTime() - before.getTime()).toBeGreaterThanOrEqual(31 * DAY_MS);
    await shared.restore(fresh);
  });

  test('that stood still in a snapshot stands still where it was', async () => {
    const start = new Date('2035-01-01T00:00:00Z');
    await using localnet = await startLocalnet({ time: start });
    localnet.advanceTime({ days: 1 });
    await using other = await startLocalnet({ snapshot: await localnet.snapshot() });
    expect(other.now()).toEqual(new Date('2035-01-02T00:00:00Z'));
  });
});

describe('faults', () => {
  test('of the options come back after a restore, and others do not', async () => {
    const refuse = { kind: 'reject', code: 'SEQUENCER_BACKPRESSURE', where: { party: 'alice::*' } };
    await using localnet = await startLocalnet({
      parties: PARTIES,
      faults: [refuse] as NonNullable<LocalnetOptions['faults']>,
    });
    const seed = await localnet.snapshot();
    const request = () => alice(localnet).request(localnet.parties.bank);
    await expect(request()).rejects.toThrow('SEQUENCER_BACKPRESSURE');
    localnet.faults.clear();
    await request();
    localnet.faults.add({ kind: 'away', surface: 'json' });
    await expect(request()).rejects.toThrow();
    await localnet.restore(seed);
    expect(localnet.faults.list().map(({ kind }) => kind)).toEqual(['reject']);
    await expect(request()).rejects.toThrow('SEQUENCER_BACKPRESSURE');
    await localnet.reset();
    expect(localnet.faults.list().map(({ kind }) => kind)).toEqual(['reject']);
  });

  test('are drawn by a script, told about, and refused when they cannot be', async () => {
    const drawn = shared.faults.add({ seed: 1, seconds: 60, rates: { 'drop-before': 0.5 } });
    expect(drawn.length).toBeGreaterThan(0);
    expect(shared.faults.get(drawn[0]!.id)).toMatchObject({ kind: 'drop-before', state: 'active' });
    expect(shared.faults.remove(drawn[0]!.script!)).toBe(drawn.length);
    expect(() => shared.faults.add({ kind: 'error', code: 'NO_SUCH_CODE' })).toThrow('no code');
    expect(shared.faults.list()).toEqual([]);
  });
});

describe('users and parties', () => {
  test('are those that were asked for, with their rights and no others', async () => {
    await using localnet = await startLocalnet({
      parties: PARTIES,
      users: { auditor: { readAs: ['bank'] }, boss: { isAdmin: true, actAs: ['appProvider'] } },
    });
    const { parties } = localnet;
    const auditor = new JsonLedger(localnet, 'auditor', 'app-provider');
    await bank(localnet).request(parties.bank);
    await expect(alice(localnet).submit({}, parties.bank)).rejects.toThrow();
    const create = {
      CreateCommand: {
        templateId: '#quickstart-licensing:Licensing.AppInstall:AppInstallRequest',
        createArguments: { provider: parties.bank, user: parties.bank, meta: { values: {} } },
      },
    };
    await expect(auditor.submit(create, parties.bank)).rejects.toThrow(/403|PERMISSION|security/u);
    const boss = new JsonLedger(localnet, 'boss', 'app-provider');
    expect(await boss.ask('/v2/users')).toMatchObject({ users: expect.arrayContaining([]) });
    expect(await boss.ask('/v2/authenticated-user')).toMatchObject({
      user: { id: 'boss', primaryParty: parties.appProvider },
    });
    await expect(localnet.token('participant_admin')).rejects.toThrow('name the participant');
    await expect(localnet.token('nobody-of-this-name')).rejects.toThrow('no user');
    expect(await localnet.token('app-user')).not.toBe(await localnet.adminToken('app-user'));
    await expect(startLocalnet({ users: { eve: { actAs: ['mallory'] } } })).rejects.toThrow(
      'no party mallory',
    );
  });

  test.each(['oauth2', 'shared-secret'] as const)('have tokens with auth %s', async (auth) => {
    await using localnet = await startLocalnet({ auth, parties: { ...PARTIES, chair: 'sv' } });
    for (const [user, on] of [
      ['alice', 'app-user'],
      ['bank', 'app-provider'],
      ['chair', 'sv'],
    ] as const) {
      const ledger = new JsonLedger(localnet, user, on);
      expect(await ledger.ask('/v2/authenticated-user')).toMatchObject({ user: { id: user } });
    }
  });
});

describe('a network', () => {
  test('is alone: two of one process know nothing of each other', async () => {
    await using one = await startLocalnet({ parties: PARTIES });
    await using other = await startLocalnet({ parties: PARTIES });
    await alice(one).request(one.parties.bank);
    expect([await requestsOf(one), await requestsOf(other)]).toEqual([1, 0]);
    const token = await one.token('alice');
    const answer = await fetch(`${other.participants['app-user'].json}/v2/state/ledger-end`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.status).toBe(401);
  });

  test('begins again when it is told to, with what it was asked for', async () => {
    await using localnet = await startLocalnet({ parties: PARTIES });
    const { parties, participants } = localnet;
    await alice(localnet).request(parties.bank);
    await localnet.reset();
    expect([localnet.parties, localnet.participants]).toEqual([parties, participants]);
    expect(await requestsOf(localnet)).toBe(0);
  });

  test('is refused options that there are not, before anything is started', async () => {
    const wrong = { partys: {} } as LocalnetOptions;
    await expect(startLocalnet(wrong)).rejects.toThrow('no option partys');
  });

  test.each<[string, object, string]>([
    ['options', ['alice'], 'the options of LocalNet are an object'],
    ['a participant of a party', { parties: { alice: 'nope' } }, 'no participant nope; there are'],
    ['a participant of a user', { users: { bob: { participant: 1 } } }, 'no participant 1; there'],
    ['a user', { users: { bob: null } }, 'user bob must be an object'],
    ['parties', { parties: ['alice'] }, 'option parties must be an object'],
    ['DARs', { dars: 'app.dar' }, 'option dars must be a list'],
    ['faults', { faults: {} }, 'option faults must be a list'],
    ['a time', { time: 'never' }, "option time must be 'wall', 'static' or a valid Date"],
    ['a moment', { time: new Date('x') }, 'option time must be'],
    ['ports', { ports: 'some' }, "option ports must be 'free', 'fixed' or an object of ports"],
    ['tokens', { auth: 'none' }, 'option auth must be oauth2 or shared-secret'],
    ['a latency', { latencyMs: -1 }, 'option latencyMs must be a number from 0 on'],
  ])('is refused %s that cannot be', async (_what, wrong, words) => {
    await expect(startLocalnet(wrong as LocalnetOptions)).rejects.toThrow(words);
  });

  test('is told which DAR is refused, and why', async () => {
    const dars = [Buffer.from('no DAR')];
    await expect(startLocalnet({ dars })).rejects.toThrow(
      'the DAR of 6 bytes is refused: INVALID_DAR: Dar file is corrupt (it is not a zip file)',
    );
    const synonyms = { Thing: con('Main:Thing', 'abc') };
    const main = { name: 'made', version: '1.0.0', minor: 2, modules: { Main: { synonyms } } };
    const lacking = darOf([lfPackage(main)]);
    await expect(startLocalnet({ dars: [lacking] })).rejects.toThrow('(Set(abc))');
  });

  test('is refused units, moments and participants that there are not', async () => {
    const fortnights = { fortnights: 1 } as object;
    expect(() => shared.advanceTime(fortnights)).toThrow('no unit fortnights; there are days');
    expect(() => shared.setTime(new Date('x'))).toThrow('this is no moment');
    await expect(shared.adminToken('x' as 'sv')).rejects.toThrow('no participant x; there are');
  });

  test('leaves nothing open when it is closed, and closes twice: its process ends by itself', async () => {
    const fixture = join(import.meta.dirname, 'kit/closed-network.fixture.ts');
    const { stdout } = await run(process.execPath, [...NODE_FLAGS, fixture], {
      timeout: PATIENCE_MS,
    });
    expect(JSON.parse(stdout)).toEqual({ left: [] });
  });
});

describe('the command', () => {
  const BIN = join(import.meta.dirname, '../../kit/bin.ts');
  const tenureLocalnet = (...args: readonly string[]) =>
    run(process.execPath, [...NODE_FLAGS, BIN, ...args], { timeout: PATIENCE_MS });

  test('says what it takes, and what it does not', async () => {
    expect((await tenureLocalnet('--help')).stdout).toContain('--party <name>');
    await expect(tenureLocalnet('--prt')).rejects.toMatchObject({ code: 2, stdout: '' });
    for (const wrong of ['--ports=some', '--party=@app-user', '--port=auth', '--time=soon']) {
      await expect(readCommand([wrong])).rejects.toThrow(UsageError);
    }
    await expect(readCommand(['--party=alice@user'])).rejects.toThrow(
      '--party alice@user: there is no participant user; there are app-user, app-provider, sv',
    );
  });

  test('prints where everything is, and ends when it is told to', async () => {
    const args = ['--json', '--ports', 'free', '--party', 'alice@app-user', '--time', '2030-01-01'];
    const child = spawn(process.execPath, [...NODE_FLAGS, BIN, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const { participants, urls, parties, tokens } = JSON.parse(line) as Pick<
      Localnet<'alice'>,
      'participants' | 'urls' | 'parties'
    > & { readonly tokens: { readonly alice: string } };
    const user = await fetch(`${participants['app-user'].json}/v2/authenticated-user`, {
      headers: { authorization: `Bearer ${tokens.alice}` },
    });
    expect(await user.json()).toMatchObject({ user: { id: 'alice', primaryParty: parties.alice } });
    const time = await fetch(`${urls.network}/control/time`);
    expect(await time.json()).toEqual({ mode: 'static', now: '2030-01-01T00:00:00Z' });
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  });
});
