import { describe, expect, it } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { again, change, SUBMIT_AND_WAIT } from './kit/commands.ts';
import { PROVIDER_ADMIN, USER_ADMIN, USER_READER } from './kit/identities.ts';
import { createLicense, createRequest, expire, INSTALL, LICENSE } from './kit/licensing.ts';
import { openNetwork } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { createdOf, newInstall, newLicense, transact } from './kit/steps.ts';
import { archivedIn } from './kit/streams.ts';
import { readRecord } from './kit/values.ts';

/*
 * A ledger with static time, modelled on the public conformance suite TimeServiceIT; and the deduplication window,
 * whose end a test can reach at once only with static time.
 */

const START = Date.UTC(2030, 0, 1);
const DAY_S = 86_400n;

interface Time {
  readonly seconds: bigint;
  readonly nanos: number;
}

const network = await forFile(openNetwork({ staticTime: new Date(START).toISOString() }));
const ledger = network.as(USER_ADMIN);
const sides = await network.sides();

async function now(clients = ledger): Promise<Time> {
  const { currentTime } = await clients.time.getTime({});
  return currentTime!;
}

const plus = ({ seconds, nanos }: Time, s: bigint): Time => ({ seconds: seconds + s, nanos });
const micros = ({ seconds, nanos }: Time) => seconds * 1_000_000n + BigInt(nanos / 1_000);

/** Advances time. @returns the new time */
async function travel(s: bigint): Promise<Time> {
  const currentTime = await now();
  const newTime = plus(currentTime, s);
  await ledger.time.setTime({ currentTime, newTime });
  return newTime;
}

describe('static time', () => {
  it('is announced', async () => {
    const { features } = await ledger.version.getLedgerApiVersion({});
    expect(features?.experimental?.staticTime?.supported).toBe(true);
  });

  it('stands still until it is set, for all participants at once', async () => {
    const before = await now();
    expect(await now()).toEqual(before);
    const set = await travel(10n);
    expect(await now()).toEqual(set);
    expect(await now(network.as(PROVIDER_ADMIN))).toEqual(set);
  });

  it('is set to the microsecond', async () => {
    const currentTime = await now();
    const newTime = { seconds: currentTime.seconds + 1n, nanos: 123_456_000 };
    await ledger.time.setTime({ currentTime, newTime });
    expect(await now()).toEqual(newTime);
  });

  it('is set only by who knows what it is', async () => {
    const time = await now();
    const call = ledger.time.setTime({ currentTime: plus(time, -1n), newTime: plus(time, 10n) });
    const refusal = await refusalOf(call);
    expect(refusal.status).toBe('INVALID_ARGUMENT');
    expect(await now()).toEqual(time);
  });

  it('does not go back', async () => {
    const time = await now();
    const call = ledger.time.setTime({ currentTime: time, newTime: plus(time, -1n) });
    expect((await refusalOf(call)).status).toBe('INVALID_ARGUMENT');
    expect(await now()).toEqual(time);
  });

  it('is set by one of several who try at once', async () => {
    const currentTime = await now();
    const answers = await Promise.allSettled(
      [1n, 2n, 3n].map((s) => ledger.time.setTime({ currentTime, newTime: plus(currentTime, s) })),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('needs both times', async () => {
    const time = await now();
    for (const request of [{ currentTime: time }, { newTime: time }]) {
      expect((await refusalOf(ledger.time.setTime(request))).status).toBe('INVALID_ARGUMENT');
    }
  });

  it('is read by every user and set by administrators', async () => {
    const reader = network.as(USER_READER);
    const currentTime = await now(reader);
    const refusal = await refusalOf(
      reader.time.setTime({ currentTime, newTime: plus(currentTime, 1n) }),
    );
    expect(refusal).toMatchObject({
      status: 'PERMISSION_DENIED',
      detailTypes: ['google.rpc.RequestInfo'],
    });
    expect(await now()).toEqual(currentTime);
  });
});

describe('ledger time', () => {
  it('is the time of transactions', async () => {
    const time = await travel(1n);
    const commands = change(createRequest(sides), { actAs: [sides.user] });
    expect((await transact(ledger, commands)).effectiveAt).toEqual(time);
  });

  it('is what contracts see', async () => {
    const install = await newInstall(ledger, sides);
    const time = await travel(1n);
    const commands = change(createLicense(install.contractId), { actAs: [sides.provider] });
    const transaction = await transact(ledger, commands);
    const license = createdOf(transaction, LICENSE);
    expect(readRecord(license.createArguments)).toMatchObject({ expiresAt: micros(time) });
    expect(createdOf(transaction, INSTALL).createdAt).toEqual(time);
  });

  it('decides about deadlines: refused before, accepted at the instant itself', async () => {
    const expiresAt = plus(await now(), 30n * DAY_S);
    const license = await newLicense(ledger, sides, micros(expiresAt));
    const commands = change(expire(license.contractId, sides.provider), {
      actAs: [sides.provider],
    });
    await travel(30n * DAY_S - 1n);
    const refusal = await refusalOf(transact(ledger, commands));
    expect(refusal).toMatchObject({ status: 'FAILED_PRECONDITION', reason: 'DAML_FAILURE' });
    expect(refusal.metadata['error_id']).toBe('stdlib.daml.com/deadline-not-exceeded');

    expect(await travel(1n)).toEqual(expiresAt);
    const expired = await transact(ledger, again(commands));
    expect(archivedIn(expired)).toMatchObject([{ contractId: license.contractId }]);
  });
});

describe('the deduplication window', () => {
  it('is seven days where the command says nothing', async () => {
    const commands = change(createRequest(sides), { actAs: [sides.user] });
    const attempt = () => SUBMIT_AND_WAIT.submit(ledger, again(commands));
    expect(await attempt()).toMatchObject({ kind: 'accepted' });
    await travel(7n * DAY_S - 1n);
    expect(await attempt()).toMatchObject({
      kind: 'refused',
      refusal: { reason: 'DUPLICATE_COMMAND' },
    });
    await travel(2n);
    expect(await attempt()).toMatchObject({ kind: 'accepted' });
  });

  it('is what the command says, to the second', async () => {
    const commands = change(createRequest(sides), {
      actAs: [sides.user],
      deduplication: { durationMs: 3_600_000 },
    });
    const attempt = () => SUBMIT_AND_WAIT.submit(ledger, again(commands));
    expect(await attempt()).toMatchObject({ kind: 'accepted' });
    await travel(3_599n);
    expect(await attempt()).toMatchObject({
      kind: 'refused',
      refusal: { reason: 'DUPLICATE_COMMAND' },
    });
    await travel(2n);
    expect(await attempt()).toMatchObject({ kind: 'accepted' });
  });

  it('by offset does not end', async () => {
    const commands = change(createRequest(sides), {
      actAs: [sides.user],
      deduplication: { offset: 0n },
    });
    const attempt = () => SUBMIT_AND_WAIT.submit(ledger, again(commands));
    expect(await attempt()).toMatchObject({ kind: 'accepted' });
    await travel(365n * DAY_S);
    expect(await attempt()).toMatchObject({
      kind: 'refused',
      refusal: { reason: 'DUPLICATE_COMMAND' },
    });
  });
});
