import { expect, test } from 'vitest';
import type { Commands } from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import {
  SUBMIT,
  SUBMIT_AND_WAIT,
  again,
  change,
  completionOf,
  ledgerEnd,
} from '../kit/commands.ts';
import type { ChangeOptions, Outcome, Route } from '../kit/commands.ts';
import { expectRefused, openSuite } from '../kit/conformance.ts';
import { eventsOf } from '../kit/formats.ts';
import { USER_ADMIN } from '../kit/identities.ts';
import { createRequest } from '../kit/licensing.ts';
import { activeContracts } from '../kit/steps.ts';

/*
 * Modelled on the public conformance suites CommandDeduplicationIT, CommandDeduplicationParallelIT,
 * CommandDeduplicationPeriodValidationIT and CompletionDeduplicationInfoIT.
 */

const { ledger, party } = await openSuite();

const SUITE = 'CommandDeduplicationIT';
const PARALLEL = 'CommandDeduplicationParallelIT';
const PERIOD = 'CommandDeduplicationPeriodValidationIT';
const INFO = 'CompletionDeduplicationInfoIT';

const LONG = { durationMs: 30 * 60_000 };
const ownRequest = (name: string, more: Partial<ChangeOptions> = {}) =>
  change(createRequest({ user: name, provider: name }), { actAs: [name], ...more });

/** Returns `accepted`, or the code of the refusal. */
const verdict = (outcome: Outcome): string =>
  outcome.kind === 'accepted' ? 'accepted' : (outcome.refusal.reason ?? '');
const submit = async (route: Route, commands: Commands) =>
  verdict(await route.submit(ledger, again(commands)));
const activeOf = (name: string) => activeContracts(ledger, eventsOf([name]));

test(`${SUITE} SimpleDeduplicationBasic: the second of two commands is a duplicate`, async () => {
  const name = await party();
  const commands = ownRequest(name, { deduplication: LONG });
  expect(await submit(SUBMIT, commands)).toBe('accepted');
  expect(await submit(SUBMIT, commands)).toBe('DUPLICATE_COMMAND');
  const other = ownRequest(name, { deduplication: LONG });
  expect(await submit(SUBMIT, other)).toBe('accepted');
  expect(await activeOf(name)).toHaveLength(2);
});

test(`${SUITE} StopOnSubmissionFailure: what was refused may be tried again`, async () => {
  const [alice, bob] = [await party(), await party()];
  const ofBob = change(createRequest({ user: bob, provider: bob }), { actAs: [alice] });
  expect(await submit(SUBMIT, ofBob)).toBe('DAML_AUTHORIZATION_ERROR');
  expect(await submit(SUBMIT, ofBob)).toBe('DAML_AUTHORIZATION_ERROR');
});

test(`${SUITE} SimpleDeduplicationCommandClient: nor is it done twice by who waits`, async () => {
  const name = await party();
  const commands = ownRequest(name, { deduplication: LONG });
  expect(await submit(SUBMIT_AND_WAIT, commands)).toBe('accepted');
  expect(await submit(SUBMIT_AND_WAIT, commands)).toBe('DUPLICATE_COMMAND');
  expect(await activeOf(name)).toHaveLength(1);
});

test(`${SUITE} DeduplicationMixedClients: the two services know of each other`, async () => {
  for (const [first, second] of [
    [SUBMIT, SUBMIT_AND_WAIT],
    [SUBMIT_AND_WAIT, SUBMIT],
  ] as const) {
    const name = await party();
    const commands = ownRequest(name, { deduplication: LONG });
    expect(await submit(first, commands)).toBe('accepted');
    expect(await submit(second, commands)).toBe('DUPLICATE_COMMAND');
    expect(await activeOf(name)).toHaveLength(1);
  }
});

for (const [id, route] of [
  ['DeduplicateSubmitterBasic', SUBMIT],
  ['DeduplicateSubmitterCommandClient', SUBMIT_AND_WAIT],
] as const) {
  test(`${SUITE} ${id}: the same command of another party is another`, async () => {
    const [alice, bob] = [await party(), await party()];
    const byAlice = ownRequest(alice);
    const byBob = ownRequest(bob, { commandId: byAlice.commandId });
    expect(await submit(route, byAlice)).toBe('accepted');
    expect(await submit(route, byAlice)).toBe('DUPLICATE_COMMAND');
    expect(await submit(route, byBob)).toBe('accepted');
    expect(await submit(route, byBob)).toBe('DUPLICATE_COMMAND');
  });
}

test(`${SUITE} DeduplicateUsingOffsets: what is before the offset does not count`, async () => {
  const name = await party();
  const before = await ledgerEnd(ledger);
  const commands = ownRequest(name, { deduplication: { offset: before } });
  expect(await submit(SUBMIT, commands)).toBe('accepted');
  expect(await submit(SUBMIT, commands)).toBe('DUPLICATE_COMMAND');
  const after = await ledgerEnd(ledger);
  const later = ownRequest(name, {
    commandId: commands.commandId,
    deduplication: { offset: after },
  });
  expect(await submit(SUBMIT, later)).toBe('accepted');
});

/** Makes ten submissions at the same time, by these routes in turn. @returns their outcomes */
async function tenAtOnce(...routes: readonly Route[]): Promise<string[]> {
  const name = await party();
  const commands = ownRequest(name, { deduplication: LONG });
  const all = Array.from({ length: 10 }, (_, index) =>
    submit(routes[index % routes.length]!, commands),
  );
  const verdicts = await Promise.all(all);
  expect(await activeOf(name)).toHaveLength(1);
  return verdicts;
}

for (const [id, routes] of [
  ['DeduplicateParallelSubmissionsUsingCommandSubmissionService', [SUBMIT]],
  ['DeduplicateParallelSubmissionsUsingCommandService', [SUBMIT_AND_WAIT]],
  [
    'DeduplicateParallelSubmissionsUsingMixedCommandServiceAndCommandSubmissionService',
    [SUBMIT, SUBMIT_AND_WAIT],
  ],
] as const) {
  test(`${PARALLEL} ${id}: one of ten takes effect`, async () => {
    const verdicts = await tenAtOnce(...routes);
    const refused = verdicts.filter((it) => it !== 'accepted');
    expect(refused).toHaveLength(9);
    expect(['SUBMISSION_ALREADY_IN_FLIGHT', 'DUPLICATE_COMMAND']).toEqual(
      expect.arrayContaining([...new Set(refused)]),
    );
  });
}

test(`${PERIOD} ValidDeduplicationDuration: half an hour`, async () => {
  const commands = ownRequest(await party(), { deduplication: LONG });
  expect(await ledger.submission.submit({ commands })).toEqual({});
});

test(`${PERIOD} NegativeDeduplicationDuration: no time is less than none`, async () => {
  const commands = ownRequest(await party());
  const value = { seconds: -1n, nanos: 0 };
  const negative: Commands = {
    ...commands,
    deduplicationPeriod: { $case: 'deduplicationDuration', value },
  };
  await expectRefused(
    ledger.submission.submit({ commands: negative }),
    'INVALID_FIELD',
    'The submitted command has a field with invalid value: Invalid field deduplication_period: Duration must be positive',
  );
});

test(`${PERIOD} NegativeOffset: no offset is less than none`, async () => {
  const offset = -12_345_678n;
  const commands = ownRequest(await party(), { deduplication: { offset } });
  const refusal = await expectRefused(
    ledger.submission.submit({ commands }),
    'NEGATIVE_OFFSET',
    `Offset ${offset} in deduplication_period is a negative integer: the deduplication offset has to be a non-negative integer and not ${offset}`,
  );
  expect(Object.keys(refusal.metadata).toSorted()).toEqual(['category', 'tid']);
});

test(`${PERIOD} ZeroOffset: from the beginning`, async () => {
  const commands = ownRequest(await party(), { deduplication: { offset: 0n } });
  expect(await ledger.submission.submit({ commands })).toEqual({});
});

for (const [id, route] of [
  ['CCDIIncludeDedupInfoCommandService', SUBMIT_AND_WAIT],
  ['CCDIIncludeDedupInfoCommandSubmissionService', SUBMIT],
] as const) {
  test(`${INFO} ${id}: the completion tells user, submission and period`, async () => {
    const name = await party();
    for (const submissionId of [undefined, 'a submission of ours']) {
      const begin = await ledgerEnd(ledger);
      const commands = ownRequest(name, submissionId === undefined ? {} : { submissionId });
      expect(verdict(await route.submit(ledger, commands))).toBe('accepted');
      const completion = await completionOf(ledger, commands, begin);
      expect(completion).toMatchObject({
        userId: USER_ADMIN.userId,
        submissionId: commands.submissionId,
        status: { code: 0 },
      });
      expect(completion.deduplicationPeriod).toBeDefined();
    }
  });
}
