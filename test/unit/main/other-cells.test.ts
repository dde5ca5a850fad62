import { expect, test } from 'vitest';
import { newCellId, submissionIdOf } from '../../../src/domain/cell.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type { ParticipantName } from '../../../src/domain/ids.ts';
import type { LedgerCompletion } from '../../../src/domain/ledger.ts';
import { watchOtherCells } from '../../../src/main/cells/ledger-users.ts';

const UUID = '0b7f3d1e-6f52-4f0c-9a70-0c9a5f0f2d11';
const [OLDER, OURS] = [1_000, 2_000].map((ms) => newCellId(ms, 'beef'));
const CLAIMED = '2026-11-25T12:00:00.000000Z';
const P = trusted<ParticipantName>('app-provider');

const completion = (cell: string, commandId: string, at: string): LedgerCompletion => ({
  kind: 'completion',
  participant: P,
  offset: 1n,
  commandId,
  submissionId: submissionIdOf({ id: cell }, UUID),
  ledgerUser: 'backend',
  actAs: [],
  updateId: null,
  answer: null,
  times: new Map([['synchronizer', at]]),
});

/** Returns the command IDs that a cell with this `claimedAt` takes for those of another cell. */
async function noted(
  claimedAt: string | null,
  completions: readonly LedgerCompletion[],
): Promise<readonly string[]> {
  const seen: string[] = [];
  const errors: string[] = [];
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (_: object, what: string) => void errors.push(what),
  };
  const streams = watchOtherCells(
    {
      async *completions() {
        yield* completions;
      },
    } as never,
    {
      own: { id: OURS!, claimedAt },
      cells: { note: async ({ commandId }) => void seen.push(commandId) },
      log,
    },
  );
  const told: unknown[] = [];
  const { signal } = new AbortController();
  for await (const element of streams.completions(P, 0n, signal)) told.push(element);
  // Completions of all cells are passed on.
  expect(told).toEqual(completions);
  expect(errors).toHaveLength(seen.length);
  return seen;
}

test('what an earlier life of this deployment has submitted is no other’s, once it is claimed', async () => {
  const before = completion(OLDER!, 'before', '2026-11-25T11:59:59.000000Z');
  const since = completion(OLDER!, 'since', '2026-11-25T12:00:01.000000Z');
  const own = completion(OURS!, 'own', '2026-11-25T12:00:01.000000Z');
  expect(await noted(CLAIMED, [before, own])).toEqual([]);
  expect(await noted(CLAIMED, [before, own, since])).toEqual(['since']);
  expect(await noted(null, [before, own])).toEqual(['before']);
});
