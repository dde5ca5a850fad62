import { completionsStream } from '../../app/ports/streams.ts';
import type { ChangeId } from '../../domain/ids.ts';
import { isOpen } from '../../domain/change.ts';
import { isoToMs } from '../../domain/time.ts';
import type { ChangeEvidence, Evidence, MailboxEvidence } from './evidence.ts';
import { cursorOf } from './evidence.ts';
import { changesById } from './traces.ts';
import type { Violation } from './violation.ts';
import { DOCTOR_LIMITS } from '../limits.ts';

const DEFECT =
  'No process continues this operation. Report a defect of Tenure, with the rows of the change, its effect and its mailbox.';

const unstated = ({ change }: ChangeEvidence, why: string, todo = DEFECT): Violation => ({
  invariant: 'I10',
  what: `${change.operation} ${change.commandId} is ${change.state}, but ${why}`,
  subjects: { changeId: change.id, commandId: change.commandId, lane: change.lane },
  todo,
});

/** Returns why an open change would never continue; `null` if it will continue. */
function stuck(
  evidence: Evidence,
  entry: ChangeEvidence,
  mailbox: MailboxEvidence | undefined,
  overdueMs: number,
): Violation | null {
  const { change, effect } = entry;
  if (change.waitingFor === null)
    return unstated(entry, 'the operation has no recorded reason for waiting');
  if (change.state === 'queued') return stuckInMailbox(entry, mailbox);
  if (mailbox !== undefined && mailbox.head !== change.id) {
    return unstated(entry, `the head of its lane is ${mailbox.head ?? 'empty'}`);
  }
  if (change.state === 'in-doubt') {
    if (change.waitingFor.kind === 'person') return null;
    // A change in doubt that was later found to be accepted needs no person's decision.
    if (change.acceptance === null)
      return unstated(
        entry,
        `the operation waits for ${change.waitingFor.kind} instead of a person`,
      );
  }
  // An accepted change is not submitted again, so it can wait only for the projection.
  if (change.acceptance !== null && change.waitingFor.kind !== 'projection') {
    return unstated(
      entry,
      `the operation was accepted and still waits for ${change.waitingFor.kind}`,
    );
  }
  // The streams continue this change, because each followed stream has a cursor.
  if (change.acceptance !== null || change.verifyAt !== null) {
    const stream = completionsStream(change.submitter.participant);
    if (cursorOf(evidence, stream) !== undefined || evidence.cursors.length === 0) return null;
    return unstated(entry, `the operation waits for stream ${stream}, which no projector follows`);
  }
  if (effect === null || effect.doneAt !== null) {
    return unstated(entry, 'the outbox has no undispatched effect of the operation');
  }
  // A person has blocked the effect, and can release it.
  if (effect.heldAt !== null) return null;
  const overdue = isoToMs(evidence.at) - isoToMs(effect.dueAt);
  if (overdue <= overdueMs) return null;
  return unstated(
    entry,
    `the operation has been due for ${Math.round(overdue / 1_000)} s, since ${effect.dueAt}`,
    'Check that a process with the role worker runs, and that the queue is reachable.',
  );
}

function stuckInMailbox(
  entry: ChangeEvidence,
  mailbox: MailboxEvidence | undefined,
): Violation | null {
  // A lane that nothing continues is reported once, not for each change that waits in the lane.
  if (mailbox === undefined || mailbox.interruptedAt !== null) return null;
  if (mailbox.head !== null && mailbox.head !== entry.change.id) return null;
  return unstated(entry, 'its lane has no head');
}

/** Checks that a mailbox has the right head and the right number of waiting changes. */
function* wrongMailboxes(evidence: Evidence, overdueMs: number): Generator<Violation> {
  const changes = changesById(evidence);
  for (const mailbox of evidence.mailboxes) {
    const { lane, head, waiting, interruptedAt } = mailbox;
    const entry = head === null ? undefined : changes.get(head);
    if (head !== null && (entry === undefined || !isOpen(entry.change.state))) {
      yield wrongHead(lane, head, entry);
    }
    const overdue = interruptedAt === null ? 0 : isoToMs(evidence.at) - isoToMs(interruptedAt);
    if (overdue > overdueMs) {
      yield {
        invariant: 'I10',
        what: `lane ${lane} has been due to continue for ${Math.round(overdue / 1_000)} s, and ${waiting} operations wait in the lane`,
        subjects: { lane },
        todo: 'Check that a process with the role projector runs and is ready.',
      };
    }
    if (head === null && waiting > 0 && interruptedAt === null) {
      yield {
        invariant: 'I10',
        what: `${waiting} operations wait in lane ${lane}, but the lane has no head`,
        subjects: { lane },
        todo: DEFECT,
      };
    }
  }
}

const wrongHead = (lane: string, head: ChangeId, entry: ChangeEvidence | undefined): Violation => ({
  invariant: 'I10',
  what: `lane ${lane} is blocked, because its head is change ${head}, which ${entry === undefined ? 'does not exist' : `ended as ${entry.change.state}`}`,
  subjects: { lane, changeId: head },
  todo: DEFECT,
});

/**
 * Finds violations of I10: open changes that would never continue.
 *
 * @param overdueMs an effect that has been due for longer counts as not dispatched; infinite if dispatch is stopped on
 * purpose
 */
export function withoutStatedWait(
  evidence: Evidence,
  overdueMs: number = DOCTOR_LIMITS.overdueMs,
): Violation[] {
  const mailboxes = new Map(evidence.mailboxes.map((mailbox) => [mailbox.lane, mailbox]));
  return [
    ...evidence.changes
      .filter(({ change }) => isOpen(change.state))
      .flatMap(
        (entry) => stuck(evidence, entry, mailboxes.get(entry.change.lane), overdueMs) ?? [],
      ),
    ...wrongMailboxes(evidence, overdueMs),
  ];
}
