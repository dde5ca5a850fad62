import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Commands } from '../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import { forFile } from '../kit/for-file.ts';
import { again, change, completionOf, ledgerEnd } from './kit/commands.ts';
import type { ChangeOptions } from './kit/commands.ts';
import { Control } from './kit/faults.ts';
import type { ToldFault } from './kit/faults.ts';
import { USER_ADMIN } from './kit/identities.ts';
import { archive, createRequest, REQUEST } from './kit/licensing.ts';
import { openNetwork } from './kit/network.ts';
import { refusalOf, refusalOfStatus } from './kit/refusal.ts';
import { activeIds, newRequest } from './kit/steps.ts';
import { PATIENCE_MS } from '../kit/patience.ts';

/* Faults of calls as a client sees them: which error it gets, and how the ledger is affected. */

const network = await forFile(openNetwork());
const control = new Control(network);
const ledger = network.as(USER_ADMIN);
const user = await network.party('user', USER_ADMIN);
afterEach(() => control.clear());

const request = (options: Partial<ChangeOptions> = {}): Commands =>
  change(createRequest({ user, provider: user }), { actAs: [user], ...options });
const submit = (commands: Commands, signal?: AbortSignal) =>
  ledger.submission.submit({ commands }, signal === undefined ? {} : { signal });
const wait = (commands: Commands) => ledger.commands.submitAndWait({ commands });
const count = async (): Promise<number> => (await activeIds(ledger, user)).length;
/** Errors of the transport have no details, and do not say whether the call was executed. */
const LOST = { status: 'UNAVAILABLE', reason: undefined, detailTypes: [] };

/** Makes a call. Its caller gives up when the fault has affected the call, however long that takes. */
async function givenUp(
  fault: ToldFault,
  call: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const caller = new AbortController();
  const given = call(caller.signal).catch((error: unknown) => error);
  await expect.poll(async () => (await control.told(fault.id)).struck).toBe(1);
  caller.abort();
  expect(await given).toMatchObject({ name: 'AbortError' });
}

describe('a request that is lost', () => {
  test.each(['unavailable', 'reset'])('is told as %s, once, and had no effect', async (how) => {
    const before = await count();
    const commandId = `lost-${randomUUID()}`;
    const fault = await control.fault({
      kind: 'drop-before',
      how,
      times: 1,
      where: { commandId: 'lost-*' },
    });
    await wait(request());
    expect(await refusalOf(wait(request({ commandId })))).toMatchObject(LOST);
    expect(await count()).toBe(before + 1);
    expect(await control.told(fault.id)).toMatchObject({ state: 'spent', matched: 1, struck: 1 });
    // The repeated change is the first one that reaches the ledger, so it is accepted.
    await wait(request({ commandId }));
    expect(await count()).toBe(before + 2);
  });

  test('may be lost without a word, until the caller gives up', async () => {
    const before = await count();
    const where = { method: 'Submit' };
    const fault = await control.fault({ kind: 'drop-before', how: 'silence', where });
    await givenUp(fault, (signal) => submit(request(), signal));
    await control.clear();
    expect(await count()).toBe(before);
    await wait(request());
    expect(await count()).toBe(before + 1);
  });
});

describe('an answer that is lost', () => {
  test.each(['unavailable', 'reset'])('leaves the effect, told as %s', async (how) => {
    const before = await count();
    await control.fault({ kind: 'drop-after', how, times: 1, where: { method: 'SubmitAndWait' } });
    const commands = request();
    expect(await refusalOf(wait(commands))).toMatchObject(LOST);
    expect(await count()).toBe(before + 1);
    expect(await refusalOf(wait(again(commands)))).toMatchObject({ reason: 'DUPLICATE_COMMAND' });
    expect(await count()).toBe(before + 1);
  });

  test('may be lost without a word', async () => {
    const before = await count();
    const where = { method: 'Submit' };
    const fault = await control.fault({ kind: 'drop-after', how: 'silence', where });
    await givenUp(fault, (signal) => submit(request(), signal));
    await expect.poll(count).toBe(before + 1);
  });

  test('may be replaced by a code that leaves the outcome open', async () => {
    const before = await count();
    await control.fault({ kind: 'drop-after', code: 'REQUEST_TIME_OUT', times: 1 });
    expect(await refusalOf(wait(request()))).toMatchObject({
      status: 'DEADLINE_EXCEEDED',
      reason: 'REQUEST_TIME_OUT',
      retryDelayMs: 1_000,
      metadata: { category: '3', definite_answer: 'false' },
    });
    expect(await count()).toBe(before + 1);
  });
});

describe('a delay', () => {
  test.each(['Submit', 'SubmitAndWait'] as const)(
    'past the deadline: %s has its effect after its caller is gone',
    async (method) => {
      const before = await count();
      const fault = await control.fault({ kind: 'delay', ms: 3_000, where: { method } });
      const commands = request();
      await givenUp(fault, (signal) =>
        method === 'Submit'
          ? submit(commands, signal)
          : ledger.commands.submitAndWait({ commands }, { signal }),
      );
      expect(await count()).toBe(before);
      await vi.waitFor(async () => expect(await count()).toBe(before + 1), PATIENCE_MS);
    },
  );

  test('of the answer: the effect is there first', async () => {
    const before = await count();
    await control.fault({ kind: 'delay', ms: 400, msMax: 500, at: 'after' });
    const call = submit(request());
    await vi.waitFor(async () => expect(await count()).toBe(before + 1), PATIENCE_MS);
    await call;
  });
});

test('a request that arrives twice has one effect, and two completions', async () => {
  const before = await count();
  const begin = await ledgerEnd(ledger);
  await control.fault({ kind: 'repeat', times: 1 });
  const commands = request();
  await submit(commands);
  expect(await completionOf(ledger, commands, begin)).toMatchObject({ status: { code: 0 } });
  const end = await ledgerEnd(ledger);
  const second = await completionOf(ledger, commands, end - 1n);
  const { reason, metadata } = refusalOfStatus(second.status!);
  expect([reason, metadata['accepted']]).toEqual(['DUPLICATE_COMMAND', 'true']);
  expect(await count()).toBe(before + 1);
});

describe('a storm of errors', () => {
  test.each([
    ['SERVICE_NOT_RUNNING', 'UNAVAILABLE', '1', 1_000],
    ['PARTICIPANT_BACKPRESSURE', 'ABORTED', '2', 1_000],
    ['SUBMISSION_ALREADY_IN_FLIGHT', 'ABORTED', '2', 1_000],
    ['NOT_CONNECTED_TO_ANY_SYNCHRONIZER', 'FAILED_PRECONDITION', '9', undefined],
    ['UNKNOWN_SUBMITTERS', 'NOT_FOUND', '11', undefined],
    ['DAML_FAILURE', 'FAILED_PRECONDITION', '9', undefined],
    ['COMMAND_PREPROCESSING_FAILED', 'INVALID_ARGUMENT', '8', undefined],
  ])(
    'at the door: %s is a %s, and nothing is registered',
    async (code, status, category, retry) => {
      const before = await count();
      const end = await ledgerEnd(ledger);
      await control.fault({ kind: 'error', code, where: { method: 'Submit*' } });
      const commands = request();
      const refusal = await refusalOf(submit(commands));
      expect(refusal).toMatchObject({ status, reason: code, retryDelayMs: retry });
      expect(refusal.metadata).toMatchObject({ category, definite_answer: 'false' });
      expect(refusal.message).toMatch(new RegExp(`^${code}\\(${category},[0-9a-f]{8}\\): `));
      expect(refusal.requestId).toBe(commands.submissionId);
      await control.clear();
      expect([await count(), await ledgerEnd(ledger)]).toEqual([before, end]);
    },
  );

  test.each(['UNAUTHENTICATED', 'PERMISSION_DENIED', 'LEDGER_API_INTERNAL_ERROR'])(
    '%s says nothing more than that',
    async (code) => {
      await control.fault({ kind: 'error', code });
      expect(await refusalOf(wait(request()))).toMatchObject({
        reason: undefined,
        detailTypes: ['google.rpc.RequestInfo'],
        message: expect.stringContaining('Please contact the operator'),
      });
    },
  );

  test('about a contract names it, and strikes only those who exercise one', async () => {
    const { contractId } = await newRequest(ledger, { user, provider: user });
    const fault = await control.fault({ kind: 'error', code: 'CONTRACT_NOT_FOUND' });
    await wait(request());
    const exercise = change(archive(REQUEST, contractId), { actAs: [user] });
    const refusal = await refusalOf(wait(exercise));
    expect(refusal).toMatchObject({ status: 'NOT_FOUND', reason: 'CONTRACT_NOT_FOUND' });
    expect(refusal.resourceNames('CONTRACT_ID')).toEqual([contractId]);
    expect(await activeIds(ledger, user)).toContain(contractId);
    expect(await control.told(fault.id)).toMatchObject({ matched: 1, struck: 1 });
  });

  test.each([
    ['MEDIATOR_SAYS_TX_TIMED_OUT', 'ABORTED', 'false'],
    ['SEQUENCER_BACKPRESSURE', 'ABORTED', 'true'],
    ['NOT_SEQUENCED_TIMEOUT', 'ABORTED', 'false'],
    ['INCONSISTENT', 'FAILED_PRECONDITION', 'false'],
    ['LOCAL_VERDICT_LOCKED_CONTRACTS', 'ABORTED', 'false'],
    ['INVALID_DEDUPLICATION_PERIOD', 'FAILED_PRECONDITION', 'true'],
    ['DUPLICATE_COMMAND', 'ALREADY_EXISTS', 'true'],
  ])('by completion: %s, and nothing takes effect', async (code, status, definite) => {
    const { contractId } = await newRequest(ledger, { user, provider: user });
    const begin = await ledgerEnd(ledger);
    await control.fault({ kind: 'reject', code, times: 1 });
    const commands = change(archive(REQUEST, contractId), { actAs: [user] });
    await submit(commands);
    const completion = await completionOf(ledger, commands, begin);
    const refusal = refusalOfStatus(completion.status!);
    expect(refusal).toMatchObject({ status, reason: code });
    expect(refusal.metadata['definite_answer']).toBe(definite);
    expect(completion.updateId).toBe('');
    expect(await activeIds(ledger, user)).toContain(contractId);
    // A rejected submission does not count for deduplication, so the same command ID is executed again.
    await wait(again(commands));
    expect(await activeIds(ledger, user)).not.toContain(contractId);
  });

  test('a duplicate that nothing was accepted before says so', async () => {
    await control.fault({ kind: 'reject', code: 'DUPLICATE_COMMAND', times: 1 });
    const { metadata } = await refusalOf(wait(request()));
    expect(metadata).toMatchObject({
      accepted: 'false',
      changeId: expect.stringMatching(/^ChangeId\(/),
    });
    expect(metadata).not.toHaveProperty('completion_offset');
  });
});
