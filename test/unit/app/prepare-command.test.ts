import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import { describe, expect, test } from 'vitest';
import type { TokenRegistry } from '../../../src/app/ports/registry.ts';
import { RegistryError } from '../../../src/app/ports/registry.ts';
import { prepareCommand } from '../../../src/app/engine/attempts/prepare-command.ts';
import { LIMITS } from '../../../src/domain/limits.ts';
import { lifecycle } from '../../kit/store-rows.ts';
import { change, contractId } from './made.ts';

/* The command that an attempt submits, or the answer of the attempt if there is nothing to submit. */

const io = { signal: new AbortController().signal, deadlineMs: 60_000 };
const model = NEWEST_MODEL;
const renewal = lifecycle({ kind: 'renewal', contractId: contractId(1) });
const license = lifecycle({ kind: 'license', contractId: contractId(2) });
const completing = change({
  operation: 'complete-renewal',
  body: { allocationContractId: contractId(3) },
  fixed: { licenseId: license.id },
});

const judge = async () => null;

const registry = (over: Partial<TokenRegistry> = {}): TokenRegistry => ({
  instrumentAdmin: () => Promise.reject(new Error('not asked')),
  settlementContext: () => Promise.reject(new Error('not asked')),
  ...over,
});

describe('a completion', () => {
  test('is of the licence’s contract of this moment, with what the registry says in time', async () => {
    const asked: number[] = [];
    const knows = registry({
      settlementContext: async (_allocation, { deadlineMs }) => {
        asked.push(deadlineMs);
        return { values: {}, disclosed: [] };
      },
    });
    const attempt = { change: completing, lifecycle: renewal, through: license };
    expect(await prepareCommand({ registry: knows, model, judge }, attempt, io)).toMatchObject({
      command: {
        contractId: renewal.contractId,
        argument: { allocationCid: contractId(3), licenseCid: license.contractId },
      },
    });
    expect(asked).toEqual([LIMITS.registryMs]);
  });

  test('of a licence that has ended meanwhile is refused, and nobody is asked', async () => {
    const ended = { ...license, state: 'expired', endedAt: '2026-01-02T00:00:00Z' };
    const attempt = { change: completing, lifecycle: renewal, through: ended };
    expect(await prepareCommand({ registry: registry(), model, judge }, attempt, io)).toMatchObject(
      {
        class: 'refused',
        code: 'LICENSE_ENDED',
      },
    );
  });

  test.each([
    ['unavailable', { class: 'unknown', takesNoTry: true, waitsFor: 'registry' }],
    // An earlier attempt may have used the allocation, so it is never a refusal if only the allocation is missing.
    ['not-found', { class: 'contention', code: 'ALLOCATION_NOT_FOUND' }],
    ['refused', { class: 'refused', code: 'REGISTRY_REFUSED' }],
  ] as const)('of which the registry says %s is not sent', async (kind, answered) => {
    const error = new RegistryError(kind, 'said so');
    const says = registry({ settlementContext: () => Promise.reject(error) });
    const attempt = { change: completing, lifecycle: renewal, through: license };
    const prepared = await prepareCommand({ registry: says, model, judge }, attempt, io);
    expect(prepared).toMatchObject({ ...answered, text: 'said so' });
  });
});
