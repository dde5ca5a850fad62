import { expect, test } from 'vitest';
import type { Command } from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { Completion } from '../../../proto/gen/com/daml/ledger/api/v2/completion.ts';
import { change, completionOf, ledgerEnd, submitForCompletion } from '../kit/commands.ts';
import { expectRefused, openSuite } from '../kit/conformance.ts';
import { USER_ADMIN } from '../kit/identities.ts';
import { REQUEST, createRequest, exercise, meta } from '../kit/licensing.ts';
import { newRequest } from '../kit/steps.ts';
import { completionsIn, hasPassed, readAll, readUntil } from '../kit/streams.ts';
import { recordValue } from '../kit/values.ts';

/*
 * Modelled on the public conformance suites CommandSubmissionCompletionIT and GetCompletionsIT. Where the suites wait
 * for some time to see that nothing arrives, these tests read up to a checkpoint.
 */

const { network, ledger, party } = await openSuite();

const SUITE = 'CommandSubmissionCompletionIT';
const ALL = 'GetCompletionsIT';
const by = (actAs: string[], command?: Command, synchronizerId = '') =>
  change(command ?? [], { actAs, synchronizerId });
const ownRequest = (name: string) => createRequest({ user: name, provider: name });
const submit = async (...actAs: string[]) => {
  const commands = by(actAs, ownRequest(actAs[0]!));
  const completion = await submitForCompletion(ledger, commands);
  return { commands, completion };
};

/** Two functions that return all completions up to the end, one for each of the two streams. */
const streams = {
  completionStream: ledger.completions.completionStream.bind(ledger.completions),
  getCompletions: ledger.completions.getCompletions.bind(ledger.completions),
};

async function completionsOf(
  stream: keyof typeof streams,
  parties: string[],
  beginExclusive = 0n,
): Promise<Completion[]> {
  const end = await ledgerEnd(ledger);
  const request = { parties, beginExclusive };
  return completionsIn(
    await readUntil((options) => streams[stream](request, options), hasPassed(end)),
  );
}

const summary = (completions: readonly Completion[]) =>
  new Map(completions.map(({ commandId, actAs }) => [commandId, actAs.toSorted()]));

/** Makes three submissions: one by each of the parties, and one by both together. */
async function threeSubmissions() {
  const [alice, bob] = [await party(), await party()];
  const begin = await ledgerEnd(ledger);
  const [byAlice, byBob, byBoth] = [
    (await submit(alice)).commands.commandId,
    (await submit(bob)).commands.commandId,
    (await submit(alice, bob)).commands.commandId,
  ];
  return { alice, bob, begin, byAlice, byBob, byBoth, both: [alice, bob].toSorted() };
}

test(`${SUITE} CSCCompletions: the command's completion, with what it cost`, async () => {
  const name = await party();
  const { commands } = await submit(name);
  const [completion, ...others] = await completionsOf('completionStream', [name]);
  expect(others).toEqual([]);
  expect(completion!.commandId).toBe(commands.commandId);
  expect(completion!.paidTrafficCost).toBeGreaterThan(0n);
});

test(`${SUITE} CSCParticipantBeginCompletions: from the beginning`, async () => {
  const name = await party();
  await submit(name);
  expect(await completionsOf('completionStream', [name], 0n)).toHaveLength(1);
});

test(`${SUITE} CSCAfterEnd: what is past the end has not happened`, async () => {
  const name = await party();
  const beginExclusive = (await ledgerEnd(ledger)) + 1_000_000n;
  const call = readAll(ledger.completions.completionStream({ parties: [name], beginExclusive }));
  const refusal = await expectRefused(call, 'OFFSET_AFTER_LEDGER_END', 'is after ledger end');
  expect(refusal.status).toBe('OUT_OF_RANGE');
});

test(`${SUITE} CSCNoCompletionsWithoutRightParty: another party's are not told`, async () => {
  const [name, other] = [await party(), await party()];
  await submit(name);
  expect(await completionsOf('completionStream', [other])).toEqual([]);
});

test(`${SUITE} CSCRefuseBadChoice: a choice that there is not`, async () => {
  const name = await party();
  const { contractId } = await newRequest(ledger, { user: name, provider: name });
  const badChoice = 'THIS_IS_NOT_A_VALID_CHOICE';
  const command = exercise(REQUEST, contractId, badChoice, recordValue({ meta: meta() }));
  const refused = ledger.submission.submit({ commands: by([name], command) });
  const text = `unknown choice ${badChoice}`;
  const refusal = await expectRefused(refused, 'COMMAND_PREPROCESSING_FAILED', text);
  expect(refusal.metadata['definite_answer']).toBe('false');
});

test(`${SUITE} CSCDisallowEmptyTransactionsSubmission: no commands are too few`, async () => {
  const refused = ledger.submission.submit({ commands: by([await party()]) });
  const refusal = await expectRefused(refused, 'MISSING_FIELD', 'commands');
  expect(refusal.metadata['definite_answer']).toBe('false');
});

test(`${SUITE} CSCHandleMultiPartySubscriptions: each is told of its own`, async () => {
  const { alice, bob, byAlice, byBob, byBoth, both } = await threeSubmissions();
  const seenBy = async (...parties: string[]) =>
    summary(await completionsOf('completionStream', parties));
  expect(await seenBy(alice, bob)).toEqual(
    new Map([
      [byAlice, [alice]],
      [byBob, [bob]],
      [byBoth, both],
    ]),
  );
  expect(await seenBy(alice)).toEqual(
    new Map([
      [byAlice, [alice]],
      [byBoth, [alice]],
    ]),
  );
  expect(await seenBy(bob)).toEqual(
    new Map([
      [byBob, [bob]],
      [byBoth, [bob]],
    ]),
  );
});

test(`${SUITE} CSCSubmitInvalidSynchronizerId: the field is named`, async () => {
  const name = await party();
  const commands = by([name], ownRequest(name), 'invalidSynchronizerId');
  const refusal = await expectRefused(
    ledger.submission.submit({ commands }),
    'INVALID_FIELD',
    'Invalid field synchronizer_id: Invalid unique identifier `invalidSynchronizerId` with missing namespace.',
  );
  expect(refusal.metadata).not.toHaveProperty('field_name');
});

test(`${SUITE} CSCSubmitUnknownSynchronizerId: another synchronizer than there is`, async () => {
  const name = await party();
  const unknown = `unknown_${network.localnet.synchronizerId}`;
  const refused = ledger.submission.submit({ commands: by([name], ownRequest(name), unknown) });
  const text = 'Cannot submit transaction to prescribed synchronizer';
  await expectRefused(refused, 'INVALID_PRESCRIBED_SYNCHRONIZER_ID', text);
});

test(`${ALL} GCSingleParty: the completion names the party`, async () => {
  const name = await party();
  const { commands } = await submit(name);
  const seen = await completionsOf('getCompletions', [name]);
  expect(summary(seen)).toEqual(new Map([[commands.commandId, [name]]]));
});

test(`${ALL} GCMultiParty: and both, where both submitted`, async () => {
  const { alice, bob, byAlice, byBob, byBoth, both } = await threeSubmissions();
  expect(summary(await completionsOf('getCompletions', [alice, bob]))).toEqual(
    new Map([
      [byAlice, [alice]],
      [byBob, [bob]],
      [byBoth, both],
    ]),
  );
});

test(`${ALL} GCWildcardParties: without parties, those of all`, async () => {
  const { alice, bob, begin } = await threeSubmissions();
  const named = summary(await completionsOf('getCompletions', [alice, bob], begin));
  expect(summary(await completionsOf('getCompletions', [], begin))).toEqual(named);
  expect(named.size).toBe(3);
});

test(`${ALL} GCBeginExclusive: what is not later than the begin does not come`, async () => {
  const name = await party();
  const first = await submit(name);
  const second = await submit(name);
  const seen = await completionsOf('getCompletions', [name], first.completion.offset);
  expect(seen.map(({ commandId }) => commandId)).toEqual([second.commands.commandId]);
});

test(`${ALL} GCTailing: what comes later comes too`, async () => {
  const name = await party();
  for (let count = 0; count < 3; count += 1) await submit(name);
  const reading = readUntil(
    (options) => ledger.completions.getCompletions({ parties: [name] }, options),
    (seen) => completionsIn(seen).length === 4,
  );
  const commands = by([name], ownRequest(name));
  const begin = await ledgerEnd(ledger);
  await ledger.submission.submit({ commands });
  await completionOf(ledger, commands, begin);
  expect(completionsIn(await reading).map(({ userId }) => userId)).toEqual(
    Array.from({ length: 4 }, () => USER_ADMIN.userId),
  );
});
