import { describe, expect, it } from 'vitest';
import type { Command } from '../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import { forFile } from '../kit/for-file.ts';
import type { LedgerClients } from './kit/clients.ts';
import { again, change, completionOf, ledgerEnd, submitForCompletion } from './kit/commands.ts';
import type { ChangeOptions } from './kit/commands.ts';
import { USER_ADMIN, USER_READER } from './kit/identities.ts';
import { archive, createRequest, exercise, REQUEST } from './kit/licensing.ts';
import type { Sides } from './kit/licensing.ts';
import { openSides } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { newRequest, transact } from './kit/steps.ts';
import { completionsIn, hasPassed, readAll, readUntil, Tail } from './kit/streams.ts';
import { recordValue } from './kit/values.ts';

/*
 * Asynchronous submission and its completions, modelled on the public conformance suites CommandSubmissionCompletionIT
 * and GetCompletionsIT.
 */

const { network, ledger, sides, asUser } = await forFile(openSides());

const request = (options: Partial<ChangeOptions> = {}, of: Sides = sides) =>
  change(createRequest(of), { actAs: [of.user], ...options });

/** Returns the command IDs in the stream, from `begin` until it has passed the current ledger end. */
async function commandIdsSeen(
  clients: LedgerClients,
  filter: { userId?: string; parties: string[]; beginExclusive: bigint },
): Promise<string[]> {
  const end = await ledgerEnd(clients);
  const responses = await readUntil(
    (options) => clients.completions.completionStream(filter, options),
    hasPassed(end),
  );
  return completionsIn(responses).map(({ commandId }) => commandId);
}

describe('Submit', () => {
  it('answers with OK, and the completion says what became of it', async () => {
    const commands = request({ workflowId: 'a-workflow' });
    const completion = await submitForCompletion(ledger, commands);
    expect(completion).toMatchObject({
      commandId: commands.commandId,
      submissionId: commands.submissionId,
      userId: USER_ADMIN.userId,
      actAs: [sides.user],
      status: { code: 0 },
    });
    expect(completion.updateId).not.toBe('');
    expect(completion.synchronizerTime?.synchronizerId).toBe(network.localnet.synchronizerId);
    expect(completion.synchronizerTime?.recordTime).toBeDefined();

    const { update } = await ledger.updates.getUpdateById({
      updateId: completion.updateId,
      updateFormat: {
        includeTransactions: {
          transactionShape: 1,
          eventFormat: { filtersByParty: { [sides.user]: {} } },
        },
      },
    });
    expect(update).toMatchObject({
      $case: 'transaction',
      value: { offset: completion.offset, commandId: commands.commandId },
    });
  });

  it('makes up a submission ID where none is given', async () => {
    const commands = request({ submissionId: '' });
    const begin = await ledgerEnd(ledger);
    await ledger.submission.submit({ commands });
    const isOurs = ({ commandId }: { commandId: string }) => commandId === commands.commandId;
    const responses = await readUntil(
      (options) =>
        ledger.completions.completionStream(
          { parties: [sides.user], beginExclusive: begin },
          options,
        ),
      (seen) => completionsIn(seen).some(isOurs),
    );
    expect(completionsIn(responses).find(isOurs)?.submissionId).not.toBe('');
  });

  it.each([
    [
      'an unknown choice',
      (cid: string) => exercise(REQUEST, cid, 'NoSuchChoice', recordValue({})),
      'COMMAND_PREPROCESSING_FAILED',
    ],
    [
      'a contract that is gone',
      (cid: string) => archive(REQUEST, `00${'ab'.repeat(32)}${cid.slice(66)}`),
      'CONTRACT_NOT_FOUND',
    ],
  ])('refuses %s at once, without a completion', async (_what, command, reason) => {
    const { contractId } = await newRequest(ledger, sides);
    const begin = await ledgerEnd(ledger);
    const commands = asUser(command(contractId));
    const refusal = await refusalOf(ledger.submission.submit({ commands }));
    expect(refusal.reason).toBe(reason);

    const marker = request();
    await transact(ledger, marker);
    const seen = await commandIdsSeen(ledger, { parties: [sides.user], beginExclusive: begin });
    expect(seen).toEqual([marker.commandId]);
  });

  it('refuses a submission without commands', async () => {
    const empty = await refusalOf(ledger.submission.submit({ commands: asUser([]) }));
    expect(empty).toMatchObject({ status: 'INVALID_ARGUMENT', reason: 'MISSING_FIELD' });
    expect(empty.metadata['field_name']).toContain('commands');
    const none = await refusalOf(ledger.submission.submit({}));
    expect(none).toMatchObject({ status: 'INVALID_ARGUMENT', reason: 'MISSING_FIELD' });
  });

  it('refuses a malformed synchronizer and one that it is not connected to', async () => {
    const malformed = request({ synchronizerId: 'nonsense' });
    expect(await refusalOf(ledger.submission.submit({ commands: malformed }))).toMatchObject({
      status: 'INVALID_ARGUMENT',
      reason: 'INVALID_FIELD',
    });
    const [, namespace] = network.localnet.synchronizerId.split('::');
    const unknown = request({ synchronizerId: `elsewhere::${namespace}` });
    expect(await refusalOf(ledger.submission.submit({ commands: unknown }))).toMatchObject({
      status: 'FAILED_PRECONDITION',
      reason: 'INVALID_PRESCRIBED_SYNCHRONIZER_ID',
    });
  });
});

describe('CompletionStream', () => {
  it('begins after the given offset', async () => {
    const first = await submitForCompletion(ledger, request());
    const second = await submitForCompletion(ledger, request());
    const since = (beginExclusive: bigint) =>
      commandIdsSeen(ledger, { parties: [sides.user], beginExclusive });

    expect(await since(first.offset - 1n)).toEqual([first.commandId, second.commandId]);
    expect(await since(first.offset)).toEqual([second.commandId]);
    expect(await since(second.offset)).toEqual([]);
  });

  it('begins at the begin of the ledger with offset zero', async () => {
    const user = await network.party('user', USER_ADMIN);
    const { commandId } = await submitForCompletion(ledger, request({}, { ...sides, user }));
    expect(await commandIdsSeen(ledger, { parties: [user], beginExclusive: 0n })).toEqual([
      commandId,
    ]);
  });

  it('comes in the order of the offsets', async () => {
    const begin = await ledgerEnd(ledger);
    const all = Array.from({ length: 8 }, () => request());
    await Promise.all(all.map((commands) => ledger.submission.submit({ commands })));
    const responses = await readUntil(
      (options) =>
        ledger.completions.completionStream(
          { parties: [sides.user], beginExclusive: begin },
          options,
        ),
      (seen) => completionsIn(seen).length === all.length,
    );
    const offsets = completionsIn(responses).map(({ offset }) => offset);
    expect(offsets).toEqual(offsets.toSorted((a, b) => Number(a - b)));
    expect(new Set(offsets).size).toBe(all.length);
  });

  it('says nothing about the commands of other users', async () => {
    const user = await network.party('user', USER_ADMIN, USER_READER);
    const begin = await ledgerEnd(ledger);
    const ours = request({}, { ...sides, user });
    const theirs = request({}, { ...sides, user });
    await transact(ledger, ours);
    await transact(network.as(USER_READER), theirs);

    const filter = { parties: [user], beginExclusive: begin };
    expect(await commandIdsSeen(ledger, filter)).toEqual([ours.commandId]);
    expect(await commandIdsSeen(ledger, { ...filter, userId: USER_ADMIN.userId })).toEqual([
      ours.commandId,
    ]);
    expect(await commandIdsSeen(network.as(USER_READER), filter)).toEqual([theirs.commandId]);
  });

  it('says nothing about the commands of other parties', async () => {
    const begin = await ledgerEnd(ledger);
    await transact(ledger, request());
    expect(
      await commandIdsSeen(ledger, { parties: [sides.provider], beginExclusive: begin }),
    ).toEqual([]);
  });

  it('shows of the submitters only those asked for', async () => {
    const begin = await ledgerEnd(ledger);
    const commands = request({ actAs: [sides.user, sides.provider] });
    await transact(ledger, commands);
    const actAsSeenBy = async (...parties: string[]) => {
      const responses = await readUntil(
        (options) =>
          ledger.completions.completionStream({ parties, beginExclusive: begin }, options),
        (seen) => completionsIn(seen).length > 0,
      );
      return completionsIn(responses)[0]!.actAs.toSorted();
    };
    expect(await actAsSeenBy(sides.user)).toEqual([sides.user]);
    expect(await actAsSeenBy(sides.provider)).toEqual([sides.provider]);
    expect(await actAsSeenBy(sides.user, sides.provider)).toEqual(
      [sides.user, sides.provider].toSorted(),
    );
  });

  it('tells a subscriber of several parties about all of them, each command once', async () => {
    const begin = await ledgerEnd(ledger);
    const other = await network.party('other', USER_ADMIN);
    const all = [
      request(),
      request({}, { ...sides, user: other }),
      request({ actAs: [sides.user, other] }),
    ];
    for (const commands of all) await transact(ledger, commands);
    expect(
      await commandIdsSeen(ledger, { parties: [sides.user, other], beginExclusive: begin }),
    ).toEqual(all.map(({ commandId }) => commandId));
  });

  it('tails: a completion comes while the stream is open', async () => {
    const begin = await ledgerEnd(ledger);
    await using tail = new Tail((options) =>
      ledger.completions.completionStream(
        { parties: [sides.user], beginExclusive: begin },
        options,
      ),
    );
    for (const count of [1, 2, 3]) {
      await transact(ledger, request());
      await tail.until((seen) => completionsIn(seen).length === count);
    }
    expect(completionsIn(tail.seen)).toHaveLength(3);
  });

  it('needs a party', async () => {
    const call = readAll(ledger.completions.completionStream({ beginExclusive: 0n }));
    expect(await refusalOf(call)).toMatchObject({
      status: 'INVALID_ARGUMENT',
      reason: 'MISSING_FIELD',
    });
  });

  it('does not begin before the begin nor after the end', async () => {
    const from = (beginExclusive: bigint) =>
      refusalOf(
        readAll(ledger.completions.completionStream({ parties: [sides.user], beginExclusive })),
      );
    expect(await from(-1n)).toMatchObject({
      status: 'INVALID_ARGUMENT',
      reason: 'NEGATIVE_OFFSET',
    });
    const end = await ledgerEnd(ledger);
    expect(await from(end + 1_000n)).toMatchObject({
      status: 'OUT_OF_RANGE',
      reason: 'OFFSET_AFTER_LEDGER_END',
    });
  });

  it('reports a refusal in the words of a gRPC error', async () => {
    const commands = request();
    const { offset } = await submitForCompletion(ledger, commands);
    const repeat = again(commands);
    const completion = await submitForCompletion(ledger, repeat);
    expect(completion.status?.code).toBe(6);
    expect(completion.status?.message).toMatch(/^DUPLICATE_COMMAND\(10,[\da-f]{1,8}\): /);
    expect(completion.status?.details.map(({ typeUrl }) => typeUrl.split('/')[1])).toContain(
      'google.rpc.ErrorInfo',
    );
    expect(completion.offset).toBeGreaterThan(offset);
    expect(await completionOf(ledger, repeat, offset)).toEqual(completion);
  });
});

describe('GetCompletions', () => {
  const idsSeen = async (clients: LedgerClients, parties: string[], beginExclusive: bigint) => {
    const end = await ledgerEnd(clients);
    const responses = await readUntil(
      (options) => clients.completions.getCompletions({ parties, beginExclusive }, options),
      hasPassed(end),
    );
    return completionsIn(responses).map(({ commandId }) => commandId);
  };

  it('tells about the commands of one party, whoever sent them', async () => {
    const user = await network.party('user', USER_ADMIN, USER_READER);
    const begin = await ledgerEnd(ledger);
    const ours = request({}, { ...sides, user });
    const theirs = request({}, { ...sides, user });
    await transact(ledger, ours);
    await transact(network.as(USER_READER), theirs);
    await transact(ledger, request());
    expect(await idsSeen(ledger, [user], begin)).toEqual([ours.commandId, theirs.commandId]);
  });

  it('tells about the commands of several parties', async () => {
    const other = await network.party('other', USER_ADMIN);
    const begin = await ledgerEnd(ledger);
    const all = [request(), request({}, { ...sides, user: other })];
    for (const commands of all) await transact(ledger, commands);
    expect(await idsSeen(ledger, [sides.user, other], begin)).toEqual(
      all.map(({ commandId }) => commandId),
    );
  });

  it('without parties tells those who may read as any party about everything', async () => {
    expect(
      await refusalOf(readAll(ledger.completions.getCompletions({ beginExclusive: 0n }))),
    ).toMatchObject({ status: 'PERMISSION_DENIED' });

    const right = { kind: { $case: 'canReadAsAnyParty', value: {} } } as const;
    const grant = { userId: USER_ADMIN.userId, rights: [right] };
    await ledger.userAdmin.grantUserRights(grant);
    try {
      const begin = await ledgerEnd(ledger);
      const user = await network.party('user', USER_READER);
      const commands = request({}, { ...sides, user });
      await transact(network.as(USER_READER), commands);
      expect(await idsSeen(ledger, [], begin)).toEqual([commands.commandId]);
    } finally {
      await ledger.userAdmin.revokeUserRights(grant);
    }
  });

  it('begins after the given offset and tails', async () => {
    const first = await submitForCompletion(ledger, request());
    await using tail = new Tail((options) =>
      ledger.completions.getCompletions(
        { parties: [sides.user], beginExclusive: first.offset },
        options,
      ),
    );
    const later = request();
    await transact(ledger, later);
    await tail.until((seen) => completionsIn(seen).length > 0);
    expect(completionsIn(tail.seen).map(({ commandId }) => commandId)).toEqual([later.commandId]);
  });
});

describe('a submission of several parties', () => {
  const as = (actAs: string[], command: Command, readAs: string[] = []) =>
    change(command, { actAs, readAs });

  it('signs for all of them', async () => {
    const { contractId } = await newRequest(ledger, sides);
    const both = as([sides.user, sides.provider], archive(REQUEST, contractId));
    expect((await transact(ledger, both)).events).toHaveLength(1);
  });

  it('does not sign for those it only reads as', async () => {
    const { contractId } = await newRequest(ledger, sides);
    const reading = as([sides.provider], archive(REQUEST, contractId), [sides.user]);
    expect(await refusalOf(transact(ledger, reading))).toMatchObject({
      status: 'INVALID_ARGUMENT',
      reason: 'DAML_AUTHORIZATION_ERROR',
    });
  });

  it('sees what any of them, or of those it reads as, sees', async () => {
    const outsider = await network.party('outsider', USER_ADMIN);
    const { contractId } = await newRequest(ledger, sides);
    const blind = as([outsider], archive(REQUEST, contractId));
    expect((await refusalOf(transact(ledger, blind))).reason).toBe('CONTRACT_NOT_FOUND');
    const seeing = as([outsider], archive(REQUEST, contractId), [sides.user]);
    expect((await refusalOf(transact(ledger, seeing))).reason).toBe('DAML_AUTHORIZATION_ERROR');
    const signing = as([outsider, sides.user], archive(REQUEST, contractId));
    expect((await transact(ledger, signing)).events).toHaveLength(1);
  });
});
