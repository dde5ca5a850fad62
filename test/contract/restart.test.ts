import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LocalnetOptions } from '../../localnet/localnet.ts';
import { again, change, completionOf, ledgerEnd, SUBMIT_AND_WAIT } from './kit/commands.ts';
import { ACS_DELTA, eventsOf, LEDGER_EFFECTS, updatesOf } from './kit/formats.ts';
import { PROVIDER_ADMIN, USER_ADMIN, USER_READER } from './kit/identities.ts';
import { accept, archive, createRequest, REQUEST } from './kit/licensing.ts';
import { spawnNetwork } from './kit/network-process.ts';
import { openNetwork } from './kit/network.ts';
import type { Network } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { activeContracts, activeIds, newRequest, transact } from './kit/steps.ts';
import { readAll, Tail, transactionsIn } from './kit/streams.ts';

/* A network that stops and is started again with the same folder is the same network. */

let dataDir = '';

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tenure-restart-'));
});
afterEach(async () => {
  await rm(dataDir, { recursive: true, force: true });
});

const open = (options: LocalnetOptions = {}) => openNetwork({ dataDir, ...options });

/** Returns everything that readers of these parties can read, so that two points in time can be compared. */
async function picture(network: Network, user: string, provider: string) {
  const ledger = network.as(USER_ADMIN);
  const end = await ledgerEnd(ledger);
  const updates = async (shape: typeof ACS_DELTA | typeof LEDGER_EFFECTS) =>
    transactionsIn(
      await readAll(
        ledger.updates.getUpdates({
          beginExclusive: 0n,
          endInclusive: end,
          updateFormat: updatesOf(shape, [user, provider]),
        }),
      ),
    );
  const { participantId } = await ledger.partyAdmin.getParticipantId({});
  const { packageIds } = await ledger.packages.listPackages({});
  return {
    ends: [end, await ledgerEnd(network.as(PROVIDER_ADMIN))],
    active: await activeContracts(ledger, eventsOf([user, provider], { blobs: true }), end),
    delta: await updates(ACS_DELTA),
    effects: await updates(LEDGER_EFFECTS),
    parties: await ledger.partyAdmin.listKnownParties({}),
    users: await ledger.userAdmin.listUsers({}),
    rights: await ledger.userAdmin.listUserRights({ userId: USER_ADMIN.userId }),
    identity: {
      participantId,
      packageIds,
      synchronizerId: network.localnet.synchronizerId,
      parties: network.localnet.parties,
    },
  };
}

describe('a network on the folder of an earlier one', () => {
  it('has its parties, users, rights, contracts, updates and offsets', async () => {
    let before: Awaited<ReturnType<typeof picture>>;
    let user = '';
    let provider = '';
    {
      await using network = await open();
      const ledger = network.as(USER_ADMIN);
      user = await network.party('user', USER_ADMIN);
      provider = await network.party('provider', USER_ADMIN);
      const sides = { user, provider };
      await ledger.userAdmin.createUser({
        user: { id: 'survivor', metadata: { annotations: { team: 'blue' } } },
      });
      const kept = await newRequest(ledger, sides, { note: 'kept' });
      const gone = await newRequest(ledger, sides);
      const accepted = await newRequest(ledger, sides);
      await transact(ledger, change(archive(REQUEST, gone.contractId), { actAs: [user] }));
      await transact(ledger, change(accept(accepted.contractId), { actAs: [provider] }));
      before = await picture(network, user, provider);
      expect(before.active.map(({ createdEvent }) => createdEvent?.contractId)).toContain(
        kept.contractId,
      );
      expect(before.active).toHaveLength(2);
      expect(before.effects).toHaveLength(5);
    }
    await using network = await open();
    expect(await picture(network, user, provider)).toEqual(before);
  });

  it('goes on where it was: offsets rise, contracts can be used', async () => {
    let user = '';
    let contractId = '';
    let end = 0n;
    {
      await using network = await open();
      const ledger = network.as(USER_ADMIN);
      user = await network.party('user', USER_ADMIN);
      ({ contractId } = await newRequest(ledger, { user, provider: user }));
      end = await ledgerEnd(ledger);
    }
    await using network = await open();
    const ledger = network.as(USER_ADMIN);
    const commands = change(archive(REQUEST, contractId), { actAs: [user] });
    expect((await transact(ledger, commands)).offset).toBeGreaterThan(end);
    expect(await activeIds(ledger, user)).toEqual([]);
    const repeat = change(archive(REQUEST, contractId), { actAs: [user] });
    expect((await refusalOf(transact(ledger, repeat))).reason).toBe('CONTRACT_NOT_FOUND');
  });

  it('remembers which changes it accepted, and their completions', async () => {
    let user = '';
    const begin = { offset: 0n };
    const accepted: { offset: bigint } = { offset: 0n };
    let commands = change([], { actAs: [] });
    {
      await using network = await open();
      const ledger = network.as(USER_ADMIN);
      user = await network.party('user', USER_ADMIN);
      commands = change(createRequest({ user, provider: user }), { actAs: [user] });
      begin.offset = await ledgerEnd(ledger);
      accepted.offset = (await transact(ledger, commands)).offset;
    }
    await using network = await open();
    const ledger = network.as(USER_ADMIN);
    const completion = await completionOf(ledger, commands, begin.offset);
    expect(completion).toMatchObject({ offset: accepted.offset, status: { code: 0 } });

    const repeated = await SUBMIT_AND_WAIT.submit(ledger, again(commands));
    expect(repeated).toMatchObject({
      kind: 'refused',
      refusal: {
        reason: 'DUPLICATE_COMMAND',
        metadata: { completion_offset: `${accepted.offset}`, accepted: 'true' },
      },
    });
    const later = again(commands, {
      deduplicationPeriod: { $case: 'deduplicationOffset', value: accepted.offset },
    });
    expect(await SUBMIT_AND_WAIT.submit(ledger, later)).toMatchObject({ kind: 'accepted' });
  });

  it('takes the tokens that the earlier one gave', async () => {
    let token = '';
    {
      await using network = await open();
      token = await network.tokens.of(USER_READER);
    }
    await using network = await open();
    const clients = network.bearing('app-user', () => token);
    expect(await ledgerEnd(clients)).toBeGreaterThan(0n);
  });

  it('has its static time', async () => {
    const staticTime = '2030-01-01T00:00:00Z';
    const newTime = { seconds: BigInt(Date.UTC(2031, 5, 15) / 1_000), nanos: 123_456_000 };
    {
      await using network = await open({ staticTime });
      const { time } = network.as(USER_ADMIN);
      const { currentTime } = await time.getTime({});
      await time.setTime({ ...(currentTime && { currentTime }), newTime });
    }
    await using network = await open({ staticTime });
    const { currentTime } = await network.as(USER_ADMIN).time.getTime({});
    expect(currentTime).toEqual(newTime);
  });

  it('resumes updates at an offset that the earlier one gave', async () => {
    let user = '';
    let middle = 0n;
    {
      await using network = await open();
      const ledger = network.as(USER_ADMIN);
      user = await network.party('user', USER_ADMIN);
      await newRequest(ledger, { user, provider: user });
      middle = await ledgerEnd(ledger);
      await newRequest(ledger, { user, provider: user });
    }
    await using network = await open();
    const ledger = network.as(USER_ADMIN);
    await newRequest(ledger, { user, provider: user });
    const rest = await readAll(
      ledger.updates.getUpdates({
        beginExclusive: middle,
        endInclusive: await ledgerEnd(ledger),
        updateFormat: updatesOf(ACS_DELTA, [user]),
      }),
    );
    expect(transactionsIn(rest)).toHaveLength(2);
  });
});

describe('a submission that was on its way when the network stopped', () => {
  it('gets a completion after the next start, and can be tried again', async () => {
    let user = '';
    let begin = 0n;
    let commands = change([], { actAs: [] });
    {
      await using network = await open({ latencyMs: 60_000 });
      const ledger = network.as(USER_ADMIN);
      user = await network.party('user', USER_ADMIN);
      begin = await ledgerEnd(ledger);
      commands = change(createRequest({ user, provider: user }), { actAs: [user] });
      await ledger.submission.submit({ commands });
      expect(
        (await refusalOf(ledger.submission.submit({ commands: again(commands) }))).reason,
      ).toBe('SUBMISSION_ALREADY_IN_FLIGHT');
    }
    await using network = await open();
    const ledger = network.as(USER_ADMIN);
    const { status } = await completionOf(ledger, commands, begin);
    const retried = await SUBMIT_AND_WAIT.submit(ledger, again(commands));
    // The participant may accept or refuse the first submission. The test only checks that the change happens once.
    expect(retried.kind).toBe(status?.code === 0 ? 'refused' : 'accepted');
    expect(await activeIds(ledger, user)).toHaveLength(1);
  });
});

describe('a network without a folder', () => {
  it('forgets everything', async () => {
    const options: LocalnetOptions = { ports: 'free' };
    let party = '';
    {
      await using network = await openNetwork(options);
      party = await network.party('user', USER_ADMIN);
    }
    await using network = await openNetwork(options);
    const { partyDetails } = await network
      .as(USER_ADMIN)
      .partyAdmin.getParties({ parties: [party] });
    expect(partyDetails).toEqual([]);
  });
});

describe('a network whose process is killed', () => {
  it('right after an answer still has what it answered', async () => {
    await using first = await spawnNetwork(dataDir);
    const user = await first.party('user', USER_ADMIN);
    const commands = change(createRequest({ user, provider: user }), { actAs: [user] });
    const answered = await transact(first.as(USER_ADMIN), commands);
    expect(await first.kill()).toBe('SIGKILL');

    await using network = await spawnNetwork(dataDir);
    const ledger = network.as(USER_ADMIN);
    expect(network.localnet.parties).toEqual(first.localnet.parties);
    const { update } = await ledger.updates.getUpdateById({
      updateId: answered.updateId,
      updateFormat: updatesOf(ACS_DELTA, [user]),
    });
    expect(update?.value).toEqual(answered);
    expect(await SUBMIT_AND_WAIT.submit(ledger, again(commands))).toMatchObject({
      refusal: {
        reason: 'DUPLICATE_COMMAND',
        metadata: { completion_offset: `${answered.offset}` },
      },
    });
  });

  it('amid many submissions has each that it answered or showed, and does the others once', async () => {
    await using first = await spawnNetwork(dataDir);
    const user = await first.party('user', USER_ADMIN);
    const ledger = first.as(USER_ADMIN);
    const begin = await ledgerEnd(ledger);
    const tail = new Tail((options) =>
      ledger.updates.getUpdates(
        { beginExclusive: begin, updateFormat: updatesOf(ACS_DELTA, [user]) },
        options,
      ),
    );
    const all = Array.from({ length: 60 }, () =>
      change(createRequest({ user, provider: user }), {
        actAs: [user],
        deduplication: { offset: begin },
      }),
    );
    const answered = new Map<string, bigint>();
    const enough = Promise.withResolvers<void>();
    const submitting = all.map(async (commands) => {
      const { completionOffset } = await ledger.commands.submitAndWait({ commands });
      answered.set(commands.commandId, completionOffset);
      if (answered.size === 15) enough.resolve();
    });
    const settled = Promise.allSettled(submitting);
    await enough.promise;
    await first.kill();
    await settled;
    await tail.end();
    const shown = transactionsIn(tail.seen);

    await using network = await spawnNetwork(dataDir);
    const revived = network.as(USER_ADMIN);
    const read = async () =>
      transactionsIn(
        await readAll(
          revived.updates.getUpdates({
            beginExclusive: begin,
            endInclusive: await ledgerEnd(revived),
            updateFormat: updatesOf(ACS_DELTA, [user]),
          }),
        ),
      );
    const kept = await read();
    expect(kept.slice(0, shown.length)).toEqual(shown);
    const offsets = new Map(kept.map(({ commandId, offset }) => [commandId, offset]));
    for (const [commandId, offset] of answered) expect(offsets.get(commandId)).toBe(offset);

    const repeated = await Promise.all(
      all.map((commands) => SUBMIT_AND_WAIT.submit(revived, again(commands))),
    );
    expect(repeated.filter(({ kind }) => kind === 'accepted')).toHaveLength(
      all.length - kept.length,
    );
    expect((await read()).map(({ commandId }) => commandId).toSorted()).toEqual(
      all.map(({ commandId }) => commandId).toSorted(),
    );
  });
});
