import type { Mutation } from '../mutation.ts';
import { test } from '../mutation.ts';

/*
 * Mutations of the rules that a provider is in one cell at a time, and that a ledger user belongs to one cell for ever.
 */

const moved = test('e2e', 'e2e/cell-move', 'a provider moves under load');
const copied = (name: string) => test('integration', 'integration/cell-copies', name);
const shared = test('e2e', 'e2e/cell-users', 'a cell does not start as a ledger user of another');

export const CELLS: readonly Mutation[] = [
  {
    name: 'imported-in-pieces',
    file: 'cli/cells/arrive.ts',
    find: 'refuseOther(await sumOf(client, table)',
    put: `await client.query('commit; begin');\n      refuseOther(await sumOf(client, table)`,
    breaks: 'an import that ended half-way leaves what stands in the way of the next',
    found: copied('what has come half-way'),
  },
  {
    name: 'imported-by-triggers',
    file: 'src/store/cells/copy.ts',
    find: ' disable trigger user',
    put: ' enable trigger user',
    breaks: 'an import records licences that have no record in the old cell',
    found: copied('what has come half-way'),
  },
  {
    name: 'thaw-given-up',
    file: 'cli/cells/leave.ts',
    find: 'if (!isLockedOut(error)) throw error;\n      if (over.aborted)',
    put: 'if (!isLockedOut(error) || !over.aborted) throw error;\n      if (over.aborted)',
    breaks: 'a thaw that readers have locked out is not taken again',
    found: copied('readers have locked out'),
  },
  {
    name: 'opened-and-paused',
    file: 'cli/cells/arrive.ts',
    find: 'await resume(databaseUrl, move, by);',
    put: `if (move.state !== 'open') await resume(databaseUrl, move, by);`,
    breaks: 'what was killed between thaw and the end of the pause stays paused',
    found: moved,
  },
  {
    name: 'users-of-another-cell',
    file: 'src/main/cells/ledger-users.ts',
    find: 'if (refusal !== null) throw new Error(refusal);',
    put: '',
    breaks: 'a cell starts as the ledger user of another',
    found: shared,
  },
  {
    name: 'cells-not-in-submissions',
    file: 'src/main/cells/ledger-users.ts',
    find: 'newSubmissionId: () => submissionIdOf(own, randomUUID())',
    put: 'newSubmissionId: () => randomUUID() as never',
    breaks: 'nothing tells that two cells submit as one user who has no annotation',
    found: shared,
  },
  {
    name: 'older-cell-gives-way',
    file: 'src/domain/cell.ts',
    find: 'other.cell < own.id }',
    put: 'other.cell > own.id }',
    breaks: 'a mistake in a second cell ends the first',
    found: test('unit', 'unit/domain/cell', 'the younger gives way'),
  },
  {
    name: 'cells-claimed-in-vain',
    file: 'src/domain/cell.ts',
    find: 'Date.parse(recordedAt) > Date.parse(claimedAt)',
    put: 'Date.parse(recordedAt) !== Date.parse(claimedAt)',
    breaks: 'a cell whose database was lost cannot be made anew',
    found: test('unit', 'unit/domain/cell', 'what was before a claim'),
  },
];
