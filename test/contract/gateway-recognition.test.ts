import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import { Status as GrpcStatus } from 'nice-grpc';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { KnownLedger } from '../../src/app/engine/follow/recognise-ledger.ts';
import { trusted } from '../../src/domain/ids.ts';
import { allowPlaintext, openParticipant } from '../../src/ledger/channel.ts';
import type { Participant } from '../../src/ledger/channel.ts';
import { createLedgerGateway } from '../../src/ledger/gateway.ts';
import { LEDGER_LIMITS } from '../../src/ledger/limits.ts';
import type { TcpProxy } from '../../chaos/tcp-proxy.ts';
import { openTcpProxy } from '../../chaos/tcp-proxy.ts';
import { refuse, ScriptedParticipant } from './kit/scripted-participant.ts';
import { ToldLedger } from '../kit/told-ledger.ts';
import { NAME, PARTY, expireRequest } from './kit/gateway-request.ts';

/*
 * No command is sent to another ledger than the one that the store has followed. The tests check over gRPC what happens
 * before the first command on each connection.
 */

const RIGHTS = { ledgerUser: 'backend', actAs: [PARTY], readAs: [PARTY] };
const TOKEN = { kind: 'token', token: 'token' } as const;

/** The calls that the participant received, by method, and the commands that it accepted. */
interface Heard {
  ends: number;
  looks: number;
  commands: string[];
}

let stack: AsyncDisposableStack;
let proxy: TcpProxy;
let ledger: ToldLedger;
let heard: Heard;
let known: KnownLedger;
let submit: (n: number, deadlineMs?: number) => ReturnType<ReturnType<typeof gatewayOf>['submit']>;
let participant: Participant;
/** Promises of tokens for the next calls. If there is none, a call gets its token at once. */
const tokens: Promise<typeof TOKEN>[] = [];
const current = () => tokens.shift() ?? Promise.resolve(TOKEN);

const gatewayOf = (of: Participant, knownOf: () => Promise<KnownLedger>) =>
  createLedgerGateway({
    argumentsOf: NEWEST_MODEL.argumentsOf,
    participants: [of],
    rights: { of: () => RIGHTS, refresh: () => Promise.resolve(RIGHTS) },
    known: knownOf,
  });

/** Starts another participant behind the proxy, with the given ledger. */
async function connectTo(told: ToldLedger): Promise<ScriptedParticipant> {
  const peer = stack.use(await ScriptedParticipant.start());
  const script = told.script(peer);
  const { ledgerEnd, updateByOffset } = script;
  script.ledgerEnd = (context) => {
    heard.ends += 1;
    return ledgerEnd!(context);
  };
  script.updateByOffset = (asked, context) => {
    heard.looks += 1;
    return updateByOffset!(asked, context);
  };
  script.submit = ({ commandId }) => void heard.commands.push(commandId);
  proxy.aim(Number(peer.address.split(':')[1]));
  return peer;
}

/** Returns a ledger that is as long as the first one, but has other updates. */
function replaced(): ToldLedger {
  const other = new ToldLedger();
  Object.assign(other, { history: 'other' });
  while (other.end < ledger.end) other.transact([]);
  return other;
}

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  heard = { ends: 0, looks: 0, commands: [] };
  ledger = new ToldLedger();
  for (let n = 0; n < 5; n += 1) ledger.transact([]);
  proxy = stack.use(await openTcpProxy(1));
  participant = stack.adopt(
    openParticipant({
      name: NAME,
      address: `127.0.0.1:${proxy.port}`,
      tokens: { current, renew: current },
      [allowPlaintext]: true,
    }),
    (one) => one.close(),
  );
  const landmark = { offset: 4n, updateId: trusted<never>(ledger.idAt(4n)) };
  known = { followed: [{ stream: 'updates', at: 5n, landmark }], foreign: null };
  const gateway = gatewayOf(participant, () => Promise.resolve(known));
  submit = (n, deadlineMs = 5_000) =>
    gateway.submit(expireRequest(n), { signal: new AbortController().signal, deadlineMs });
  await connectTo(ledger);
});
afterEach(() => stack.disposeAsync());

test('is recognised once for each connection, however many ask, and costs no call after that', async () => {
  const answers = await Promise.all([1, 2, 3].map((n) => submit(n)));
  expect(answers).toEqual([null, null, null]);
  const { ends, looks } = heard;
  expect(looks).toBe(1);
  for (let n = 4; n < 20; n += 1) expect(await submit(n)).toBeNull();
  expect(heard).toMatchObject({ ends, looks });
  proxy.cut();
  await expect.poll(() => submit(20)).toBeNull();
  expect(heard.looks).toBe(2);
  expect(new Set(heard.commands).size).toBe(20);
});

/** Makes the participant unreachable, and waits until the gateway has noticed. */
async function away(): Promise<void> {
  expect(await submit(1)).toBeNull();
  proxy.refuse();
  await expect.poll(() => participant.connection.current()).toBeNull();
}

test('what is submitted while it connects again waits for that', async () => {
  await away();
  // Later calls try to connect again.
  expect(await submit(2)).toMatchObject({ code: 'NO_ERROR_INFO:UNAVAILABLE', takesNoTry: true });
  const waiting = submit(3);
  proxy.pass();
  expect(await waiting).toBeNull();
  expect(heard.commands).toHaveLength(2);
});

test('what is submitted while it is away is given back once it was tried to connect', async () => {
  await away();
  const beganMs = performance.now();
  expect(await submit(2)).toMatchObject({ code: 'NO_ERROR_INFO:UNAVAILABLE', takesNoTry: true });
  expect(performance.now() - beganMs).toBeGreaterThan(LEDGER_LIMITS.connectedMs - 10);
  expect(heard.commands).toHaveLength(1);
});

/** Returns a ledger that was restored from a backup, and after that got other updates than the first one. */
function restored(): ToldLedger {
  const copy = new ToldLedger();
  while (copy.end < 3n) copy.transact([]);
  Object.assign(copy, { history: 'other' });
  while (copy.end < 9n) copy.transact([]);
  return copy;
}

test.each([
  ['has another update where one is known', () => replaced()],
  ['ends before the store does', () => new ToldLedger()],
  ['was restored and went another way since', restored],
])('a ledger that takes the place of another gets nothing when it %s', async (_, other) => {
  expect(await submit(1)).toBeNull();
  heard.commands.length = 0;
  await connectTo(other());
  proxy.cut();
  await expect
    .poll(() => submit(2))
    .toMatchObject({ code: 'FOREIGN_LEDGER', takesNoTry: true, waitsFor: 'foreign' });
  expect(heard.commands).toEqual([]);
});

test('a ledger that somebody else has found to be another gets nothing, whatever it has', async () => {
  known = { ...known, foreign: 'somebody has seen it' };
  expect(await submit(1)).toMatchObject({ code: 'FOREIGN_LEDGER', takesNoTry: true });
  expect(heard).toEqual({ ends: 1, looks: 0, commands: [] });
});

test('a command goes over no other connection than the one that was recognised', async () => {
  expect(await submit(1)).toBeNull();
  const before = participant.connection.current();
  // The call waits for its token while another ledger replaces the first one.
  const token = Promise.withResolvers<typeof TOKEN>();
  tokens.push(token.promise);
  const waiting = submit(2);
  await expect.poll(() => tokens).toEqual([]);
  await connectTo(replaced());
  proxy.cut();
  const io = { signal: new AbortController().signal, deadlineMs: 5_000 };
  const gateway = gatewayOf(participant, () => Promise.resolve(known));
  await expect.poll(() => gateway.ledgerEnd(NAME, io).catch(() => null)).toBe(5n);
  expect(participant.connection.current()).not.toBe(before);
  token.resolve(TOKEN);
  expect(await waiting).toMatchObject({ class: 'unknown', takesNoTry: true });
  expect(heard.commands).toEqual(['command-1']);
});

test('what cannot be told is believed when it was pruned, and waited for when nobody answers', async () => {
  ledger.prunedUpTo = 4n;
  ledger.updates.length = 0;
  expect(await submit(1)).toBeNull();
  const silent = new ToldLedger();
  const peer = await connectTo(silent);
  peer.script.ledgerEnd = () => 9n;
  peer.script.updateByOffset = (_asked, context) =>
    refuse(context, 'SERVICE_NOT_RUNNING', { status: GrpcStatus.UNAVAILABLE });
  heard.commands.length = 0;
  proxy.cut();
  await expect
    .poll(() => submit(2))
    .toMatchObject({ code: 'SERVICE_NOT_RUNNING', takesNoTry: true });
  expect(heard.commands).toEqual([]);
});

test('what the store cannot tell keeps everything here', async () => {
  const gateway = gatewayOf(participant, () => Promise.reject(new Error('the database is away')));
  const io = { signal: new AbortController().signal, deadlineMs: 5_000 };
  expect(await gateway.submit(expireRequest(1), io)).toMatchObject({
    code: 'NOT_RECOGNISED',
    text: 'the database is away',
    takesNoTry: true,
  });
  expect(heard.commands).toEqual([]);
});

test('a participant behind a proxy that keeps our connection is looked at again after a call that failed', async () => {
  expect(await submit(1)).toBeNull();
  const peer = await connectTo(ledger);
  proxy.cut();
  await expect.poll(() => submit(2)).toBeNull();
  const { looks } = heard;
  const usual = peer.script.submit;
  peer.script.submit = (_commands, context) =>
    refuse(context, 'NOBODY_KNOWS', { status: GrpcStatus.UNAVAILABLE });
  expect(await submit(3)).toMatchObject({ class: 'unknown', takesNoTry: false });
  expect(heard.looks).toBe(looks);
  peer.script.submit = usual!;
  expect(await submit(4)).toBeNull();
  expect(heard.looks).toBe(looks + 1);
});

test('what its time is over for while it waits for its token is not sent', async () => {
  expect(await submit(1)).toBeNull();
  const token = Promise.withResolvers<typeof TOKEN>();
  tokens.push(token.promise);
  const waiting = submit(2, 50);
  await expect.poll(() => tokens).toEqual([]);
  // After the process has fetched the token, it is blocked for longer than the command's deadline.
  const untilMs = performance.now() + 60;
  while (performance.now() < untilMs);
  token.resolve(TOKEN);
  expect(await waiting).toMatchObject({
    code: 'NO_ERROR_INFO:DEADLINE_EXCEEDED',
    class: 'unknown',
    takesNoTry: true,
  });
  // If the second command had been sent, it would have arrived before the third.
  expect(await submit(3)).toBeNull();
  expect(heard.commands).toEqual(['command-1', 'command-3']);
});

test('the time that it takes is of the time within which a command must be sent', async () => {
  expect(await submit(1)).toBeNull();
  expect(await submit(2, 0)).toMatchObject({ code: 'RECOGNISED_TOO_LATE', takesNoTry: true });
  expect(heard.commands).toEqual(['command-1']);
});
