import type { AnnotatedLedgerUser, OtherCell, OwnCell } from '../domain/cell.ts';
import { belongingOf } from '../domain/cell.ts';
import { unreachable } from '../domain/unreachable.ts';
import type { Finding } from './findings.ts';
import { well, wrong } from './findings.ts';

const APART =
  'Give each cell ledger users of its own: two that share one take the other’s commands for their own repeats. If the other is gone for good, `tenure cell claim`.';

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
        return well('ledger', `${who} is annotated as of this cell, ${own.id}`);
      case 'unannotated':
        return well(
          'ledger',
          `${who} is of no other cell, as far as completions show; it bears no annotation; this is ${own.id}`,
        );
      case 'annotated':
        return wrong(
          'ledger',
          `${who} is annotated as of cell ${belonging.cell}; this is ${own.id}`,
          APART,
        );
      case 'seen': {
        const { cell, commandId, recordedAt } = belonging.other;
        const last = `last ${commandId} at ${recordedAt}`;
        return wrong(
          'ledger',
          `cell ${cell} submits as ${who} too, ${last}; this is ${own.id}`,
          APART,
        );
      }
      default:
        return unreachable(belonging);
    }
  });
}
