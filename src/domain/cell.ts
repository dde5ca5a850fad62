import type { SubmissionId } from './ids.ts';
import { trusted } from './ids.ts';

/*
 * A cell is one deployment: see docs/SCALING.md. No ledger user belongs to two cells. A participant keeps two things by
 * which one cell can see another: the annotations of its users, and the submission IDs of completions.
 */

/** The annotation of a ledger user that names the cell it belongs to. */
export const CELL_ANNOTATION = 'tenure-cell';

const CELL = '[0-9a-f]{16}';
const SUBMISSION = new RegExp(`^(${CELL}):[0-9a-f-]{36}$`, 'u');

/**
 * Returns the name of a new cell. The smaller of two names belongs to the older cell.
 *
 * @param end four random digits, in hex
 */
export const newCellId = (nowMs: number, end: string): string =>
  `${nowMs.toString(16).padStart(12, '0')}${end}`;

/** Returns a submission ID of a cell. @param uuid new for each attempt */
export const submissionIdOf = ({ id }: Pick<OwnCell, 'id'>, uuid: string): SubmissionId =>
  trusted<SubmissionId>(`${id}:${uuid}`);

/**
 * Returns the cell that submitted; `null` where the ID names no cell, as with earlier versions and other applications.
 */
export const cellOfSubmission = (submissionId: string): string | null =>
  SUBMISSION.exec(submissionId)?.[1] ?? null;

/** Another cell whose submission was completed for a ledger user of ours. */
export interface OtherCell {
  readonly participant: string;
  readonly ledgerUser: string;
  readonly cell: string;
  readonly commandId: string;
  /** ISO 8601: when the ledger recorded it. */
  readonly recordedAt: string;
}

/** The cell that owns a database. */
export interface OwnCell {
  readonly id: string;
  /** ISO 8601; `null` where its ledger users were never claimed. */
  readonly claimedAt: string | null;
}

/**
 * Whether a submission of another cell counts: those recorded before the users were claimed do not.
 *
 * @param recordedAt ISO 8601
 */
export function isSinceClaim({ claimedAt }: OwnCell, recordedAt: string): boolean {
  return claimedAt === null || Date.parse(recordedAt) > Date.parse(claimedAt);
}

/** A ledger user of ours, as its participant describes it. */
export interface AnnotatedLedgerUser {
  readonly participant: string;
  readonly ledgerUser: string;
  /** The cell that the user's annotation names. */
  readonly annotation: string | null;
}

/** The cell that a ledger user belongs to, as far as can be observed. */
export type Belonging =
  /** Annotated as ours. */
  | { readonly kind: 'ours' }
  /** It has no annotation, and no other cell was seen. */
  | { readonly kind: 'unannotated' }
  | { readonly kind: 'annotated'; readonly cell: string }
  /** Another cell submits as this user. The older of two cells may continue: it came first. */
  | { readonly kind: 'seen'; readonly other: OtherCell; readonly isOlder: boolean };

/**
 * Returns the cell that a ledger user belongs to. An annotation decides, where there is one: a person or the first
 * permitted cell made it. Submissions of others before the users were claimed do not count.
 */
export function belongingOf(
  own: OwnCell,
  { participant, ledgerUser, annotation }: AnnotatedLedgerUser,
  others: readonly OtherCell[],
): Belonging {
  if (annotation !== null && annotation !== own.id) return { kind: 'annotated', cell: annotation };
  const seen = others
    .filter((other) => other.participant === participant && other.ledgerUser === ledgerUser)
    .filter((other) => other.cell !== own.id && isSinceClaim(own, other.recordedAt))
    .toSorted((a, b) => (a.cell < b.cell ? -1 : 1));
  const [other] = seen;
  if (other !== undefined) {
    return { kind: 'seen', other, isOlder: annotation === null && other.cell < own.id };
  }
  return { kind: annotation === null ? 'unannotated' : 'ours' };
}
