import { describe, expect, it } from 'vitest';
import type { Command } from '../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import { forFile } from '../kit/for-file.ts';
import {
  actingAs,
  again,
  change,
  completionOf,
  ledgerEnd,
  SUBMIT,
  SUBMIT_AND_WAIT,
} from './kit/commands.ts';
import type { Outcome } from './kit/commands.ts';
import { Control } from './kit/faults.ts';
import { USER_ADMIN } from './kit/identities.ts';
import {
  accept,
  archive,
  cancelInstall,
  createInstall,
  createLicense,
  createRequest,
  INSTALL,
  LICENSE,
  reject,
  REQUEST,
} from './kit/licensing.ts';
import { openNetwork } from './kit/network.ts';
import { refusalOf, refusalOfStatus } from './kit/refusal.ts';
import { activeIds, createdOf, newInstall, newRequest, transact } from './kit/steps.ts';
import { completionsIn, hasPassed, readUntil } from './kit/streams.ts';

/*
 * Several commands on one contract, modelled on the public conformance suites SemanticTests and RaceConditionIT.
 * Confirmation is slow here, so that transactions really overlap. Contract keys are omitted, because the licensing
 * package has none.
 */

const LATENCY_MS = 60;
const MAX_COMMANDS_IN_FLIGHT = 12;

const network = await forFile(
  openNetwork({
    latencyMs: LATENCY_MS,
    maxCommandsInFlight: MAX_COMMANDS_IN_FLIGHT,
  }),
);
const ledger = network.as(USER_ADMIN);
const sides = await network.sides();

/** This is far longer than the submission of the next command takes, even on a busy machine. */
const SLOW_MS = 1_500;

/** Runs calls that must overlap, while confirmation takes very long. */
async function overlapping<T>(work: () => Promise<T>): Promise<T> {
  const control = new Control(network);
  await control.fault({ kind: 'slow-ledger', ms: SLOW_MS });
  try {
    return await work();
  } finally {
    await control.clear();
  }
}

/** Error codes that mean that another transaction uses the contract or has used it. */
const LOST_RACE = [
  'CONTRACT_NOT_FOUND',
  'LOCAL_VERDICT_LOCKED_CONTRACTS',
  'LOCAL_VERDICT_INACTIVE_CONTRACTS',
  'UNKNOWN_CONTRACT_SYNCHRONIZERS',
];

const asUser = actingAs(sides.user);
const asProvider = actingAs(sides.provider);
const asBoth = (command: Command | Command[]) =>
  change(command, { actAs: [sides.user, sides.provider] });

/** Divides outcomes into the accepted ones and, for the refused ones, the reasons. */
function sift(outcomes: readonly Outcome[]) {
  return {
    accepted: outcomes.filter((outcome) => outcome.kind === 'accepted'),
    reasons: outcomes.flatMap((outcome) =>
      outcome.kind === 'refused' ? [outcome.refusal.reason] : [],
    ),
  };
}

describe('a contract that is archived', () => {
  it('cannot be archived again', async () => {
    const { contractId } = await newRequest(ledger, sides);
    await transact(ledger, asUser(archive(REQUEST, contractId)));
    const refusal = await refusalOf(transact(ledger, asUser(archive(REQUEST, contractId))));
    expect(refusal).toMatchObject({ status: 'NOT_FOUND', reason: 'CONTRACT_NOT_FOUND' });
    expect(refusal.resourceNames('CONTRACT_ID')).toEqual([contractId]);
    expect(refusal.metadata).toMatchObject({ category: '11', definite_answer: 'false' });
  });

  it('cannot be used by the other stakeholder either', async () => {
    const { contractId } = await newRequest(ledger, sides);
    await transact(ledger, asUser(archive(REQUEST, contractId)));
    const refusal = await refusalOf(transact(ledger, asProvider(reject(contractId))));
    expect(refusal.reason).toBe('CONTRACT_NOT_FOUND');
  });

  it('cannot be used later in the same transaction', async () => {
    const { contractId } = await newRequest(ledger, sides);
    const twice = asUser([archive(REQUEST, contractId), archive(REQUEST, contractId)]);
    const refusal = await refusalOf(transact(ledger, twice));
    expect(refusal).toMatchObject({ status: 'NOT_FOUND', reason: 'CONTRACT_NOT_ACTIVE' });
    expect(refusal.resourceNames('CONTRACT_ID')).toEqual([contractId]);
    // The transaction had no effect, so the contract is still active.
    expect(await activeIds(ledger, sides.user)).toContain(contractId);
  });

  it('in two transactions at once is archived by one of them', async () => {
    const { contractId } = await newRequest(ledger, sides);
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () =>
        SUBMIT_AND_WAIT.submit(ledger, asUser(archive(REQUEST, contractId))),
      ),
    );
    const { accepted, reasons } = sift(outcomes);
    expect(accepted).toHaveLength(1);
    expect(reasons).toHaveLength(9);
    for (const reason of reasons) expect(LOST_RACE).toContain(reason);
    expect(await activeIds(ledger, sides.user)).not.toContain(contractId);
  });

  it('by different choices of both stakeholders at once is used by one of them', async () => {
    const { contractId } = await newRequest(ledger, sides);
    const attempts = [
      asUser(archive(REQUEST, contractId)),
      asProvider(accept(contractId)),
      asProvider(reject(contractId)),
      asUser(archive(REQUEST, contractId)),
      asProvider(accept(contractId)),
    ];
    const outcomes = await Promise.all(attempts.map((commands) => SUBMIT.submit(ledger, commands)));
    const { accepted, reasons } = sift(outcomes);
    expect(accepted).toHaveLength(1);
    for (const reason of reasons) expect(LOST_RACE).toContain(reason);
  });
});

describe('a contract that is being used by a transaction in confirmation', () => {
  it('is locked for another, which is refused in its completion', async () => {
    const { contractId } = await newRequest(ledger, sides);
    const winner = asUser(archive(REQUEST, contractId));
    const loser = asUser(archive(REQUEST, contractId));
    const begin = await ledgerEnd(ledger);
    await overlapping(async () => {
      await ledger.submission.submit({ commands: winner });
      await ledger.submission.submit({ commands: loser });
    });

    const lost = await completionOf(ledger, loser, begin);
    const refusal = refusalOfStatus(lost.status!);
    expect(refusal).toMatchObject({ status: 'ABORTED', reason: 'LOCAL_VERDICT_LOCKED_CONTRACTS' });
    expect(refusal.resourceNames('CONTRACT_ID').join()).toContain(contractId);
    expect(refusal.metadata).toMatchObject({ category: '2' });
    expect(refusal.retryDelayMs).toBe(1_000);
    expect(lost.updateId).toBe('');
    expect((await completionOf(ledger, winner, begin)).status?.code).toBe(0);

    // The refused submission does not count for deduplication: the same change may be tried again, and finds the
    // contract archived.
    const retried = await SUBMIT_AND_WAIT.submit(ledger, again(loser));
    expect(retried).toMatchObject({ kind: 'refused', refusal: { reason: 'CONTRACT_NOT_FOUND' } });
  });

  it('is free again when that transaction is refused', async () => {
    const { contractId } = await newRequest(ledger, sides);
    const other = await newRequest(ledger, sides);
    const winner = asUser(archive(REQUEST, other.contractId));
    // This submission uses both contracts, and loses the race for the second one.
    const loser = asUser([archive(REQUEST, contractId), archive(REQUEST, other.contractId)]);
    const begin = await ledgerEnd(ledger);
    await ledger.submission.submit({ commands: winner });
    await ledger.submission.submit({ commands: loser });
    expect((await completionOf(ledger, loser, begin)).status?.code).not.toBe(0);
    await transact(ledger, asUser(archive(REQUEST, contractId)));
  });
});

describe('a change that is on its way', () => {
  it('is refused when handed in again, at once and without a completion', async () => {
    const commands = asUser(createRequest(sides));
    const begin = await ledgerEnd(ledger);
    const repeat = again(commands);
    const refusal = await overlapping(async () => {
      await ledger.submission.submit({ commands });
      return refusalOf(ledger.submission.submit({ commands: repeat }));
    });
    expect(refusal).toMatchObject({ status: 'ABORTED', reason: 'SUBMISSION_ALREADY_IN_FLIGHT' });
    expect(refusal.metadata['changeId']).toBeTruthy();
    expect(refusal.metadata['existingSubmissionId']).toContain(commands.submissionId);
    expect(refusal.metadata['completion_offset']).toBeUndefined();
    expect(refusal.retryDelayMs).toBe(1_000);

    const { offset } = await completionOf(ledger, commands, begin);
    const responses = await readUntil(
      (options) =>
        ledger.completions.completionStream(
          { parties: [sides.user], beginExclusive: begin },
          options,
        ),
      hasPassed(offset),
    );
    const submissions = completionsIn(responses).map(({ submissionId }) => submissionId);
    expect(submissions).toContain(commands.submissionId);
    expect(submissions).not.toContain(repeat.submissionId);
  });

  it('is refused by SubmitAndWait too, while the first call still succeeds', async () => {
    const commands = asUser(createRequest(sides));
    const outcomes = await overlapping(() =>
      Promise.all([commands, again(commands)].map((one) => SUBMIT_AND_WAIT.submit(ledger, one))),
    );
    const { accepted, reasons } = sift(outcomes);
    expect(accepted).toHaveLength(1);
    expect(reasons).toEqual(['SUBMISSION_ALREADY_IN_FLIGHT']);
  });
});

describe('authority', () => {
  it('to create is that of every signatory', async () => {
    const command = createInstall(sides);
    for (const actAs of [[sides.user], [sides.provider]]) {
      const refusal = await refusalOf(transact(ledger, change(command, { actAs })));
      expect(refusal).toMatchObject({
        status: 'INVALID_ARGUMENT',
        reason: 'DAML_AUTHORIZATION_ERROR',
      });
      expect(refusal.metadata).toMatchObject({ category: '8' });
    }
    await transact(ledger, asBoth(command));
  });

  it('to exercise is that of the controller', async () => {
    const { contractId } = await newRequest(ledger, sides);
    const refusal = await refusalOf(transact(ledger, asUser(accept(contractId))));
    expect(refusal.reason).toBe('DAML_AUTHORIZATION_ERROR');
    await transact(ledger, asProvider(accept(contractId)));
  });

  it('to archive is that of every signatory', async () => {
    const { contractId } = await newInstall(ledger, sides);
    for (const commands of [asUser, asProvider]) {
      const refusal = await refusalOf(transact(ledger, commands(archive(INSTALL, contractId))));
      expect(refusal.reason).toBe('DAML_AUTHORIZATION_ERROR');
    }
    await transact(ledger, asBoth(archive(INSTALL, contractId)));
  });

  it('of a signatory flows into what its choice does', async () => {
    // The provider alone could neither create a License nor archive the AppInstall.
    const install = await newInstall(ledger, sides);
    const transaction = await transact(ledger, asProvider(createLicense(install.contractId)));
    expect(createdOf(transaction, LICENSE).signatories.toSorted()).toEqual(
      [sides.user, sides.provider].toSorted(),
    );
  });

  it('of somebody else than the named actor is refused', async () => {
    const install = await newInstall(ledger, sides);
    const forUser = asProvider(cancelInstall(install.contractId, sides.user));
    expect((await refusalOf(transact(ledger, forUser))).reason).toBe('DAML_AUTHORIZATION_ERROR');
  });
});

describe('a contract that the submitters cannot see', () => {
  it('is not found', async () => {
    const { contractId } = await newRequest(ledger, sides);
    const outsider = await network.party('outsider', USER_ADMIN);
    const commands = change(archive(REQUEST, contractId), { actAs: [outsider] });
    const refusal = await refusalOf(transact(ledger, commands));
    expect(refusal).toMatchObject({ status: 'NOT_FOUND', reason: 'CONTRACT_NOT_FOUND' });
    expect(refusal.resourceNames('CONTRACT_ID')).toEqual([contractId]);
  });
});

describe('more commands at once than the command service waits for', () => {
  it('are refused with back-pressure, and can be tried again', async () => {
    const all = Array.from({ length: 60 }, () => asUser(createRequest(sides)));
    const outcomes = await overlapping(() =>
      Promise.all(all.map((one) => SUBMIT_AND_WAIT.submit(ledger, one))),
    );
    const refusals = outcomes.flatMap((outcome) =>
      outcome.kind === 'refused' ? [outcome.refusal] : [],
    );
    expect(refusals.length).toBeGreaterThan(0);
    expect(60 - refusals.length).toBeGreaterThanOrEqual(MAX_COMMANDS_IN_FLIGHT);
    for (const refusal of refusals) {
      expect(refusal).toMatchObject({ status: 'ABORTED', reason: 'PARTICIPANT_BACKPRESSURE' });
      expect(refusal.retryDelayMs).toBe(1_000);
    }
    const refused = all.filter((_, index) => outcomes[index]?.kind === 'refused');
    expect(await SUBMIT_AND_WAIT.submit(ledger, again(refused[0]!))).toMatchObject({
      kind: 'accepted',
    });
  });
});
