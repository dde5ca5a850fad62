import { mailboxFromRow } from '../rows/mailbox-row.ts';
import type { Row } from '../../../migrations/schema.ts';

export type MailboxColumns = Row<'mailbox'> & { readonly turn_at: string | null };

export const mailboxEvidence = (row: MailboxColumns) => ({
  ...mailboxFromRow(row),
  interruptedAt: row.turn_at,
});

/** SQL: mailboxes, each with the last turn of its lane if the lane was interrupted. */
export const mailboxes = `select m.lane, m.head, m.next_no, m.waiting, i.turn_at
  from mailbox m left join interrupted_lane i on i.lane = m.lane`;
