import { describe, expect, it, vi } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { again, change, ledgerEnd, SUBMIT, SUBMIT_AND_WAIT } from './kit/commands.ts';
import { ACS_DELTA, eventsOf, updatesOf } from './kit/formats.ts';
import { USER_ADMIN } from './kit/identities.ts';
import { archive, createRequest, REQUEST } from './kit/licensing.ts';
import { openNetwork } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { activeContracts, newRequest, transact } from './kit/steps.ts';
import { completionsIn, hasPassed, readAll, readUntil, transactionsIn } from './kit/streams.ts';
import { PATIENCE_MS } from '../kit/patience.ts';

/*
 * The part of a participant's history that remains after an operator has pruned it, modelled on the public conformance
 * cases OffsetPruned (CommandDeduplicationPeriodValidationIT) and those on pruned offsets of UpdateServiceStreamsIT and
 * ActiveContractsServiceIT. Only an operator can prune, so the test prunes in process.
 */

const network = await forFile(openNetwork({ maxDeduplicationDurationMs: 20 }));
const ledger = network.as(USER_ADMIN);
const user = await network.party('user', USER_ADMIN);
const sides = { user, provider: user };
/**
 * The first contract was created before `pruned` and is still active; the second one was created and archived before
 * `pruned`.
 */
const { contractId: kept } = await newRequest(ledger, sides);
const { contractId: gone } = await newRequest(ledger, sides);
await transact(ledger, change(archive(REQUEST, gone), { actAs: [user] }));
/** Everything up to this offset is pruned. */
const pruned = await ledgerEnd(ledger);
await newRequest(ledger, sides);
await pruneAsSoonAsAllowed();

/**
 * Prunes a participant. The participant refuses to prune data that deduplication may still need, so this waits until
 * the deduplication window has passed.
 */
async function pruneAsSoonAsAllowed(): Promise<void> {
  const participant = network.localnet.ledger.participants['app-user'];
  await vi.waitFor(() => {
    participant.prune(pruned);
  }, PATIENCE_MS);
}

const request = (options: Partial<Parameters<typeof change>[1]> = {}) =>
  change(createRequest({ user, provider: user }), { actAs: [user], ...options });

describe('a deduplication period that reaches back before the pruned past', () => {
  it.each([SUBMIT, SUBMIT_AND_WAIT])(
    'by offset is refused through $name and says how far it may reach',
    async (route) => {
      const refusals = [];
      for (const offset of [0n, pruned - 1n]) {
        const outcome = await route.submit(ledger, request({ deduplication: { offset } }));
        if (outcome.kind === 'accepted') throw new Error('accepted');
        expect(outcome.refusal).toMatchObject({
          status: 'FAILED_PRECONDITION',
          reason: 'INVALID_DEDUPLICATION_PERIOD',
        });
        expect(outcome.refusal.metadata).toMatchObject({ category: '9', definite_answer: 'true' });
        expect(outcome.by).toBe(route === SUBMIT ? 'completion' : 'call');
        refusals.push(outcome.refusal);
      }
      const [first, second] = refusals.map(({ metadata }) => metadata['earliest_offset']);
      expect(first).toBe(second);
      const offset = BigInt(first!);
      expect(offset).toBeGreaterThanOrEqual(pruned);
      expect(await route.submit(ledger, request({ deduplication: { offset } }))).toMatchObject({
        kind: 'accepted',
      });
    },
  );

  it('by duration is refused and says how long it may be', async () => {
    const commands = request({ deduplication: { durationMs: 365 * 86_400_000 } });
    const outcome = await SUBMIT_AND_WAIT.submit(ledger, commands);
    expect(outcome).toMatchObject({ refusal: { reason: 'INVALID_DEDUPLICATION_PERIOD' } });
    const longest =
      outcome.kind === 'refused' ? outcome.refusal.metadata['longest_duration'] : undefined;
    expect(longest).toBeTruthy();
    const shorter = again(commands, {
      deduplicationPeriod: { $case: 'deduplicationDuration', value: { seconds: 0n, nanos: 1e6 } },
    });
    expect(await SUBMIT_AND_WAIT.submit(ledger, shorter)).toMatchObject({ kind: 'accepted' });
  });
});

describe('reading before the pruned past', () => {
  const refused = {
    status: 'FAILED_PRECONDITION',
    reason: 'PARTICIPANT_PRUNED_DATA_ACCESSED',
  };

  it('is announced', async () => {
    const offsets = await ledger.state.getLatestPrunedOffsets({});
    expect(offsets.participantPrunedUpToInclusive).toBe(pruned);
  });

  it('is refused to update streams; those that begin where it ended are served', async () => {
    const read = async (beginExclusive: bigint) =>
      transactionsIn(
        await readAll(
          ledger.updates.getUpdates({
            beginExclusive,
            endInclusive: await ledgerEnd(ledger),
            updateFormat: updatesOf(ACS_DELTA, [user]),
          }),
        ),
      );
    const refusal = await refusalOf(read(pruned - 1n));
    expect(refusal).toMatchObject(refused);
    expect(refusal.metadata['earliest_offset']).toBe(`${pruned}`);
    expect(await read(pruned)).not.toHaveLength(0);
  });

  it('is allowed where nothing is asked for', async () => {
    const at = pruned - 1n;
    const updateFormat = updatesOf(ACS_DELTA, [user]);
    const range = { beginExclusive: at, endInclusive: at };
    expect(await readAll(ledger.updates.getUpdates({ ...range, updateFormat }))).toEqual([]);
  });

  it('is refused to completion streams likewise', async () => {
    const end = await ledgerEnd(ledger);
    const read = (beginExclusive: bigint) =>
      readUntil(
        (options) =>
          ledger.completions.completionStream({ parties: [user], beginExclusive }, options),
        hasPassed(end),
      );
    const refusal = await refusalOf(read(pruned - 1n));
    expect(refusal).toMatchObject(refused);
    expect(refusal.metadata['earliest_offset']).toBe(`${pruned}`);
    expect(completionsIn(await read(pruned))).not.toHaveLength(0);
  });

  it('is refused to active contract sets; where it ended, what was active is', async () => {
    const read = (offset: bigint) => activeContracts(ledger, eventsOf([user]), offset);
    expect(await refusalOf(read(pruned - 1n))).toMatchObject(refused);
    const active = await read(pruned);
    expect(active.map(({ createdEvent }) => createdEvent?.contractId)).toEqual([kept]);
  });

  it('leaves nothing of a contract that was archived', async () => {
    const eventsById = (contractId: string) =>
      ledger.events.getEventsByContractId({ contractId, eventFormat: eventsOf([user]) });
    expect((await refusalOf(eventsById(gone))).reason).toBe('CONTRACT_EVENTS_NOT_FOUND');
    expect((await eventsById(kept)).created?.createdEvent?.contractId).toBe(kept);
  });
});
