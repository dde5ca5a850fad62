import type { Mailbox } from '../../app/ports/writes.ts';
import type { ChangeId, LaneId } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import type { Json } from '../../domain/json.ts';
import { assert } from '../../domain/unreachable.ts';
import type { Row } from '../../../migrations/schema.ts';

/** Checks a mailbox whenever it is written or read. */
function assertMailbox(mailbox: Mailbox): void {
  assert(mailbox.nextNo >= 1, 'places in a mailbox count from 1');
  assert(mailbox.waiting >= 0 && mailbox.waiting < mailbox.nextNo, 'those who wait have a place');
}

export function mailboxFromRow(row: Row<'mailbox'>): Mailbox {
  const mailbox: Mailbox = {
    lane: trusted<LaneId>(row.lane),
    head: row.head === null ? null : trusted<ChangeId>(row.head),
    nextNo: row.next_no,
    waiting: row.waiting,
  };
  assertMailbox(mailbox);
  return mailbox;
}

/** Returns the mailbox as an element of a JSON array that a statement unpacks. */
export function mailboxToJson(mailbox: Mailbox): Record<keyof Row<'mailbox'>, Json> {
  assertMailbox(mailbox);
  const { lane, head, nextNo, waiting } = mailbox;
  return { lane, head, next_no: nextNo, waiting };
}
