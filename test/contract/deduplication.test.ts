import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import {
  again,
  change,
  completionOf,
  ledgerEnd,
  ROUTES,
  SUBMIT,
  SUBMIT_AND_WAIT,
  SUBMIT_AND_WAIT_FOR_TRANSACTION,
} from './kit/commands.ts';
import type { Outcome, Route } from './kit/commands.ts';
import { USER_ADMIN, USER_READER } from './kit/identities.ts';
import { archive, create, createRequest, REQUEST } from './kit/licensing.ts';
import { openNetwork } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { activeIds, newRequest } from './kit/steps.ts';
import { record, text } from './kit/values.ts';
import { PATIENCE_MS } from '../kit/patience.ts';

/*
 * Command deduplication, modelled on the public conformance suites CommandDeduplicationIT,
 * CommandDeduplicationParallelIT, CommandDeduplicationPeriodValidationIT and CompletionDeduplicationInfoIT. Omitted:
 * contract keys (the licensing package has none), several synchronizers (LocalNet has one) and pruned offsets (LocalNet
 * does not prune).
 */

const network = await forFile(openNetwork());
const ledger = network.as(USER_ADMIN);
const sides = {
  user: await network.party('user', USER_ADMIN, USER_READER),
  provider: await network.party('provider', USER_ADMIN),
};

const pairs = (routes: readonly Route[]) =>
  routes.flatMap((first) => routes.map((second) => ({ first, second })));

function expectAccepted(
  outcome: Outcome,
): asserts outcome is Extract<Outcome, { kind: 'accepted' }> {
  if (outcome.kind === 'refused') throw outcome.refusal;
}

/**
 * Checks all parts of the refusal of a duplicate, and that the refusal comes in the way in which this route reports it.
 */
function expectDuplicate(outcome: Outcome, of: { offset: bigint }, route: Route): void {
  if (outcome.kind === 'accepted') throw new Error('accepted, not refused as a duplicate');
  const { refusal } = outcome;
  expect(refusal).toMatchObject({ status: 'ALREADY_EXISTS', reason: 'DUPLICATE_COMMAND' });
  expect(refusal.metadata).toMatchObject({
    category: '10',
    definite_answer: 'true',
    accepted: 'true',
    completion_offset: `${of.offset}`,
  });
  expect(refusal.metadata['changeId']).toBeTruthy();
  expect(refusal.retryDelayMs).toBeUndefined();
  expect(outcome.by).toBe(route === SUBMIT ? 'completion' : 'call');
}

describe('a change that was accepted', () => {
  it.each(pairs(ROUTES))(
    'through $first.name is a duplicate when repeated through $second.name',
    async ({ first, second }) => {
      const commands = change(createRequest(sides), { actAs: [sides.user] });
      const accepted = await first.submit(ledger, commands);
      expectAccepted(accepted);

      const repeated = await second.submit(ledger, again(commands));
      expectDuplicate(repeated, accepted, second);
    },
  );

  it.each(ROUTES)('is accepted again through $name once its period has passed', async (route) => {
    const user = await network.party('user', USER_ADMIN);
    const commands = change(createRequest({ ...sides, user }), {
      actAs: [user],
      deduplication: { durationMs: 50 },
    });
    const first = await route.submit(ledger, commands);
    expectAccepted(first);
    const repeated = again(commands, {
      deduplicationPeriod: change([], { actAs: [], deduplication: { durationMs: 60_000 } })
        .deduplicationPeriod,
    });
    expectDuplicate(await route.submit(ledger, repeated), first, route);

    const second = await pollUntilAccepted(() => route.submit(ledger, again(commands)));
    expect(second.offset).toBeGreaterThan(first.offset);
    expect(second.updateId).not.toBe(first.updateId);
    expect(await activeIds(ledger, user)).toHaveLength(2);
  });

  it.each(ROUTES)(
    'is a duplicate through $name by offset exactly if accepted after it',
    async (route) => {
      const before = await ledgerEnd(ledger);
      const commands = change(createRequest(sides), { actAs: [sides.user] });
      const first = await route.submit(ledger, commands);
      expectAccepted(first);

      const since = (offset: bigint) =>
        again(commands, { deduplicationPeriod: { $case: 'deduplicationOffset', value: offset } });
      expectDuplicate(await route.submit(ledger, since(before)), first, route);
      expectDuplicate(await route.submit(ledger, since(first.offset - 1n)), first, route);
      expectDuplicate(await route.submit(ledger, since(0n)), first, route);

      const second = await route.submit(ledger, since(first.offset));
      expectAccepted(second);
      expect(second.offset).toBeGreaterThan(first.offset);
      // For the period that begins after the first acceptance, only the second acceptance counts.
      expectDuplicate(await route.submit(ledger, since(first.offset)), second, route);
    },
  );

  it('is found again by a period of thirty minutes', async () => {
    const commands = change(createRequest(sides), {
      actAs: [sides.user],
      deduplication: { durationMs: 30 * 60_000 },
    });
    const first = await SUBMIT_AND_WAIT.submit(ledger, commands);
    expectAccepted(first);
    expectDuplicate(await SUBMIT_AND_WAIT.submit(ledger, again(commands)), first, SUBMIT_AND_WAIT);
  });
});

/** Repeats a submission until the deduplication period has passed and it is no longer refused as a duplicate. */
async function pollUntilAccepted(
  submit: () => Promise<Outcome>,
): Promise<Extract<Outcome, { kind: 'accepted' }>> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const outcome = await submit();
    if (outcome.kind === 'accepted') return outcome;
    if (outcome.refusal.reason !== 'DUPLICATE_COMMAND' || Date.now() > deadline)
      throw outcome.refusal;
  }
}

describe('the identity of a change', () => {
  const commandId = () => `identity-${randomUUID()}`;

  it.each(ROUTES)(
    'is one per submitter through $name: parties do not share command IDs',
    async (route) => {
      const other = await network.party('other', USER_ADMIN);
      const id = commandId();
      const ours = change(createRequest(sides), { actAs: [sides.user], commandId: id });
      const theirs = change(createRequest({ ...sides, user: other }), {
        actAs: [other],
        commandId: id,
      });

      const first = await route.submit(ledger, ours);
      const second = await route.submit(ledger, theirs);
      expectAccepted(first);
      expectAccepted(second);
      expectDuplicate(await route.submit(ledger, again(ours)), first, route);
      expectDuplicate(await route.submit(ledger, again(theirs)), second, route);
    },
  );

  it('has no part in what the commands say', async () => {
    const options = { actAs: [sides.user], commandId: commandId() };
    const first = await SUBMIT_AND_WAIT.submit(ledger, change(createRequest(sides), options));
    expectAccepted(first);
    const other = change(createRequest(sides, { another: 'payload' }), {
      ...options,
      workflowId: 'another-workflow',
      readAs: [sides.provider],
    });
    expectDuplicate(await SUBMIT_AND_WAIT.submit(ledger, other), first, SUBMIT_AND_WAIT);
  });

  it('takes the submitters as a set', async () => {
    const id = commandId();
    const as = (...actAs: string[]) => change(createRequest(sides), { actAs, commandId: id });
    const both = await SUBMIT_AND_WAIT.submit(ledger, as(sides.user, sides.provider));
    expectAccepted(both);
    const reversed = as(sides.provider, sides.user);
    expectDuplicate(await SUBMIT_AND_WAIT.submit(ledger, reversed), both, SUBMIT_AND_WAIT);
    const repeated = as(sides.user, sides.provider, sides.user);
    expectDuplicate(await SUBMIT_AND_WAIT.submit(ledger, repeated), both, SUBMIT_AND_WAIT);

    expectAccepted(await SUBMIT_AND_WAIT.submit(ledger, as(sides.user)));
  });

  it('belongs to the ledger user', async () => {
    const commands = change(createRequest(sides), { actAs: [sides.user], commandId: commandId() });
    expectAccepted(await SUBMIT_AND_WAIT.submit(ledger, commands));
    expectAccepted(await SUBMIT_AND_WAIT.submit(network.as(USER_READER), again(commands)));
  });

  it('needs no submission ID', async () => {
    const commands = change(createRequest(sides), { actAs: [sides.user], submissionId: '' });
    const first = await SUBMIT_AND_WAIT.submit(ledger, commands);
    expectAccepted(first);
    expectDuplicate(await SUBMIT_AND_WAIT.submit(ledger, commands), first, SUBMIT_AND_WAIT);
  });

  it('is the same whether the user is named or taken from the token', async () => {
    const commands = change(createRequest(sides), { actAs: [sides.user] });
    const first = await SUBMIT_AND_WAIT.submit(ledger, commands);
    expectAccepted(first);
    const named = again(commands, { userId: USER_ADMIN.userId });
    expectDuplicate(await SUBMIT_AND_WAIT.submit(ledger, named), first, SUBMIT_AND_WAIT);
  });
});

describe('a change that was refused', () => {
  it.each(ROUTES)(
    'twice through $name is refused for the same reason, not as a duplicate',
    async (route) => {
      const bad = change(create(REQUEST, record({ provider: text(sides.provider) })), {
        actAs: [sides.user],
      });
      const reasons = [];
      for (const commands of [bad, again(bad)]) {
        const outcome = await route.submit(ledger, commands);
        if (outcome.kind === 'accepted') throw new Error('accepted');
        expect(outcome.by).toBe('call');
        expect(outcome.refusal.status).toBe('INVALID_ARGUMENT');
        reasons.push(outcome.refusal.reason);
      }
      expect(reasons).toEqual(['COMMAND_PREPROCESSING_FAILED', 'COMMAND_PREPROCESSING_FAILED']);
    },
  );

  it.each(ROUTES)('through $name leaves its command ID free', async (route) => {
    const gone = await newRequest(ledger, sides);
    const archived = change(archive(REQUEST, gone.contractId), { actAs: [sides.user] });
    expectAccepted(await SUBMIT_AND_WAIT.submit(ledger, archived));

    const refused = change(archive(REQUEST, gone.contractId), { actAs: [sides.user] });
    const first = await route.submit(ledger, refused);
    expect(first).toMatchObject({ kind: 'refused', refusal: { reason: 'CONTRACT_NOT_FOUND' } });

    const good = again(refused, { commands: [createRequest(sides)] });
    expectAccepted(await route.submit(ledger, good));
  });
});

describe('the same change many times at once', () => {
  const mixed: Route = {
    name: 'all routes mixed',
    submit: (clients, commands) =>
      ROUTES[commands.submissionId.charCodeAt(0) % ROUTES.length]!.submit(clients, commands),
  };

  it.each([...ROUTES, mixed])('through $name is accepted exactly once', async (route) => {
    const user = await network.party('user', USER_ADMIN);
    const commands = change(createRequest({ ...sides, user }), { actAs: [user] });
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => route.submit(ledger, again(commands))),
    );
    const refusals = outcomes.flatMap((outcome) =>
      outcome.kind === 'refused' ? [outcome.refusal] : [],
    );
    expect(refusals).toHaveLength(9);
    for (const { status, reason } of refusals) {
      expect([
        ['ALREADY_EXISTS', 'DUPLICATE_COMMAND'],
        ['ABORTED', 'SUBMISSION_ALREADY_IN_FLIGHT'],
      ]).toContainEqual([status, reason]);
    }
    expect(await activeIds(ledger, user)).toHaveLength(1);
  });
});

describe('the deduplication period', () => {
  const periodOf = (deduplication: { offset: bigint } | { durationMs: number }) =>
    change(createRequest(sides), { actAs: [sides.user], deduplication });

  it('must not be a negative duration', async () => {
    const call = ledger.commands.submitAndWait({ commands: periodOf({ durationMs: -1_000 }) });
    const refusal = await refusalOf(call);
    expect(refusal).toMatchObject({ status: 'INVALID_ARGUMENT', reason: 'INVALID_FIELD' });
    expect(refusal.message).toContain('Duration must be positive');
    expect(refusal.metadata).toMatchObject({ category: '8' });
  });

  it('must not be a negative offset', async () => {
    const refusal = await refusalOf(
      ledger.commands.submitAndWait({ commands: periodOf({ offset: -1n }) }),
    );
    expect(refusal).toMatchObject({ status: 'INVALID_ARGUMENT', reason: 'NEGATIVE_OFFSET' });
  });

  it('may start at offset zero, the begin of the ledger', async () => {
    expectAccepted(await SUBMIT_AND_WAIT.submit(ledger, periodOf({ offset: 0n })));
  });

  it('may be longer than the maximum, as long as nothing is pruned', async () => {
    const commands = periodOf({ durationMs: 400 * 86_400_000 });
    const first = await SUBMIT_AND_WAIT.submit(ledger, commands);
    expectAccepted(first);
    expectDuplicate(await SUBMIT_AND_WAIT.submit(ledger, again(commands)), first, SUBMIT_AND_WAIT);
  });
});

describe('a completion', () => {
  const periods = [
    { asked: 'a duration', deduplication: { durationMs: 60_000 } },
    { asked: 'an offset', deduplication: { offset: 0n } },
    { asked: 'nothing', deduplication: undefined },
  ];

  it.each(
    periods.flatMap((period) =>
      [SUBMIT, SUBMIT_AND_WAIT, SUBMIT_AND_WAIT_FOR_TRANSACTION].map((route) => ({
        ...period,
        route,
      })),
    ),
  )(
    'reports the deduplication offset when $asked was asked for through $route.name',
    async ({ deduplication, route }) => {
      const begin = await ledgerEnd(ledger);
      const commands = change(createRequest(sides), {
        actAs: [sides.user],
        ...(deduplication && { deduplication }),
      });
      expectAccepted(await route.submit(ledger, commands));
      const completion = await completionOf(ledger, commands, begin);
      expect(completion).toMatchObject({
        commandId: commands.commandId,
        submissionId: commands.submissionId,
        userId: USER_ADMIN.userId,
        actAs: [sides.user],
        deduplicationPeriod: { $case: 'deduplicationOffset' },
      });
      const reported = completion.deduplicationPeriod?.value as bigint;
      expect(reported).toBeGreaterThanOrEqual(0n);
      expect(reported).toBeLessThan(completion.offset);
    },
  );

  it('of a duplicate names the offset of the acceptance it repeats and itself has a later one', async () => {
    const commands = change(createRequest(sides), { actAs: [sides.user] });
    const first = await SUBMIT.submit(ledger, commands);
    expectAccepted(first);
    const repeat = again(commands);
    const end = await ledgerEnd(ledger);
    await ledger.submission.submit({ commands: repeat });
    const completion = await completionOf(ledger, repeat, end);
    expect(completion.offset).toBeGreaterThan(first.offset);
    expect(completion.updateId).toBe('');
    expect(completion.status?.code).toBe(6);
  });
});
