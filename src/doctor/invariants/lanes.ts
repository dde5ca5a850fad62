import { isOpen } from '../../domain/change.ts';
import type { ChangeEvidence, Evidence } from './evidence.ts';
import { tracesByChange } from './traces.ts';
import type { Violation } from './violation.ts';

const DEFECT = 'Report a defect of Tenure: operations of one lane ran out of order.';

const subjectsOf = ({ change }: ChangeEvidence) => ({
  lane: change.lane,
  changeId: change.id,
  commandId: change.commandId,
});

const isBegun = ({ change, attempts }: ChangeEvidence): boolean =>
  attempts.length > 0 || change.acceptance !== null;

/**
 * Finds violations of I8: effects of a lane that did not happen in the order of its mailbox, and attempts that were
 * made before their change became the head.
 */
export function outOfTurn(evidence: Evidence): Violation[] {
  const traces = tracesByChange(evidence);
  const found: Violation[] = [];
  const positionOf = (entry: ChangeEvidence): bigint | undefined =>
    entry.updates[0]?.offset ?? traces.get(entry.change.id)?.[0]?.offset;
  for (const [lane, inLane] of Map.groupBy(evidence.changes, ({ change }) => change.lane)) {
    let open: ChangeEvidence | undefined;
    let last: { readonly entry: ChangeEvidence; readonly offset: bigint } | undefined;
    const inOrder = inLane.toSorted((a, b) => a.change.mailboxNo - b.change.mailboxNo);
    for (const entry of inOrder) {
      const { change } = entry;
      if (open !== undefined && isBegun(entry)) {
        found.push({
          invariant: 'I8',
          what: `${change.operation} ${change.commandId} is number ${change.mailboxNo} of lane ${lane} and was submitted, although number ${open.change.mailboxNo}, ${open.change.commandId}, has not ended`,
          subjects: subjectsOf(entry),
          todo: DEFECT,
        });
      }
      if (isOpen(change.state)) open ??= entry;
      const offset = positionOf(entry);
      if (offset === undefined) continue;
      if (last !== undefined && offset <= last.offset) {
        found.push({
          invariant: 'I8',
          what: `${change.operation} ${change.commandId} is number ${change.mailboxNo} of lane ${lane} and took effect at offset ${offset}, before number ${last.entry.change.mailboxNo}, ${last.entry.change.commandId}, at ${last.offset}`,
          subjects: { ...subjectsOf(entry), offset },
          todo: DEFECT,
        });
      }
      last = { entry, offset };
    }
  }
  return found;
}
