import type { AnnotatedLedgerUser, OtherCell, OwnCell } from '../domain/cell.ts';
import { belongingOf } from '../domain/cell.ts';
import { unreachable } from '../domain/unreachable.ts';
import type { Finding } from './findings.ts';
import { well, wrong } from './findings.ts';

const APART =
  'Configure separate ledger users for each cell: the participant treats commands of two cells with the same ledger user as duplicates. If the other cell no longer exists, run `tenure cell claim`.';

/**
 * Returns findings about the cell to which each ledger user of this cell belongs, according to the participant's
 * annotation and to completions. Pure.
 */
export function judgeCells(
  own: OwnCell,
  users: readonly AnnotatedLedgerUser[],
  others: readonly OtherCell[],
): Finding[] {
  return users.map((user) => {
    const { participant, ledgerUser } = user;
    const who = `ledger user ${ledgerUser} on ${participant}`;
    const belonging = belongingOf(own, user, others);
    switch (belonging.kind) {
      case 'ours':
        return well('ledger', `the annotation of ${who} names this cell, ${own.id}`);
      case 'unannotated':
        return well(
          'ledger',
          `no other cell uses ${who}, according to the completions; the ledger user has no cell annotation; this cell is ${own.id}`,
        );
      case 'annotated':
        return wrong(
          'ledger',
          `the annotation of ${who} names another cell, ${belonging.cell}; this cell is ${own.id}`,
          APART,
        );
      case 'seen': {
        const { cell, commandId, recordedAt } = belonging.other;
        const last = `most recently command ${commandId} at ${recordedAt}`;
        return wrong(
          'ledger',
          `cell ${cell} also submits commands as ${who}, ${last}; this cell is ${own.id}`,
          APART,
        );
      }
      default:
        return unreachable(belonging);
    }
  });
}
