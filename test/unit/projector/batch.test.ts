import { describe, expect, test } from 'vitest';
import type { LedgerGateway } from '../../../src/app/ports/ledger.ts';
import type { LedgerCompletion } from '../../../src/domain/ledger.ts';
import { trusted, workflowIdOf } from '../../../src/domain/ids.ts';
import { batchOf, readDuplicates, readLedgerEnds } from '../../../src/projector/batch.ts';
import type { StreamElement } from '../../../src/projector/inbox.ts';
import { answer, change } from '../app/made.ts';

const io = { signal: new AbortController().signal, deadlineMs: 1_000 };

const duplicateAt = (participant: string, offset: bigint): LedgerCompletion => ({
  kind: 'completion',
  participant: trusted(participant),
  offset: offset + 1n,
  commandId: 'c',
  submissionId: trusted(`submission-${participant}-${offset}`),
  ledgerUser: 'backend',
  actAs: [],
  updateId: null,
  answer: answer({
    class: 'done',
    code: 'DUPLICATE_COMMAND',
    duplicateOf: { accepted: true, offset },
  }),
  times: new Map(),
});

describe('what the answers in a batch mean', () => {
  test('is asked of all participants at once, and one that does not answer leaves out its own', async () => {
    const asked: string[] = [];
    const all = Promise.withResolvers<void>();
    const note = async (name: string): Promise<void> => {
      asked.push(name);
      if (asked.length === 5) all.resolve();
      // Waits until every participant has been asked.
      await all.promise;
      if (name.startsWith('away')) throw new Error('no answer');
    };
    const workflowId = workflowIdOf(change().id);
    const gateway: Pick<LedgerGateway, 'updateAt' | 'ledgerEnd'> = {
      updateAt: async (participant, offset) => {
        await note(participant);
        return { updateId: trusted(`u-${offset}`), commandId: 'c', workflowId };
      },
      ledgerEnd: async (participant) => {
        await note(participant);
        return 9n;
      },
    };
    const completions = [duplicateAt('here', 1n), duplicateAt('away', 2n), duplicateAt('here', 3n)];
    const [duplicates, ends] = await Promise.all([
      readDuplicates(gateway as LedgerGateway, completions, io),
      readLedgerEnds(gateway as LedgerGateway, completions, io),
    ]);
    expect([...duplicates.keys()]).toEqual(['submission-here-1', 'submission-here-3']);
    expect([...duplicates.values()]).toMatchObject([{ updateId: 'u-1', offset: 1n }, {}]);
    expect([...ends]).toEqual([['here', 9n]]);
  });
});

describe('where streams go', () => {
  const participant = trusted<LedgerCompletion['participant']>('here');
  const position = (offset: bigint, times: Record<string, string>): StreamElement => ({
    stream: 'completions',
    element: { kind: 'position', participant, offset, times: new Map(Object.entries(times)) },
  });
  const stream = 'completions:here';
  const cursors = new Map([[stream, 5n]]);

  test('a checkpoint where a stream has been may tell of other synchronizers', () => {
    const told = { one: '2026-01-01T00:00:00Z' };
    expect(batchOf([position(5n, told)], cursors).moves).toMatchObject([
      { stream, from: 5n, to: 5n, times: new Map(Object.entries(told)) },
    ]);
    const more = { other: '2026-01-01T00:00:01Z' };
    expect(batchOf([position(6n, told), position(6n, more)], cursors).moves).toMatchObject([
      { stream, from: 5n, to: 6n, times: new Map(Object.entries({ ...told, ...more })) },
    ]);
  });

  test('what comes from before tells nothing, and neither does one without a time', () => {
    expect(batchOf([position(4n, { one: '2026-01-01T00:00:00Z' })], cursors).moves).toEqual([]);
    expect(batchOf([position(5n, {})], cursors).moves).toEqual([]);
  });
});
