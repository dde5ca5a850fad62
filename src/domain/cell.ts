import type { SubmissionId } from './ids.ts';
import { trusted } from './ids.ts';

/*
 * A cell is one deployment: see docs/SCALING.md. No ledger user belongs to two cells. A participant stores two things
 * by which one cell can detect another: the annotations of its users, and the submission IDs of completions.
 */

/** The key of the annotation of a ledger user that names the cell to which the user belongs. */
export const CELL_ANNOTATION = 'tenure-cell';

const CELL = '[0-9a-f]{16}';
const SUBMISSION = new RegExp(`^(${CELL}):[0-9a-f-]{36}$`, 'u');

/**
 * Returns the name of a new cell. Names increase with time, so the smaller of two names is the older cell's.
 *
 * @param end four random hexadecimal digits
 */
export const newCellId = (nowMs: number, end: string): string =>
  `${nowMs.toString(16).padStart(12, '0')}${end}`;

/** Returns a new submission ID of a cell. @param uuid must be different for each attempt */
export const submissionIdOf = ({ id }: Pick<OwnCell, 'id'>, uuid: string): SubmissionId =>
  trusted<SubmissionId>(`${id}:${uuid}`);

/**
 * Returns the cell that made a submission; `null` if the ID names no cell, as in submissions of earlier versions and of
 * other applications.
 */
export const cellOfSubmission = (submissionId: string): string | null =>
  SUBMISSION.exec(submissionId)?.[1] ?? null;

/** A submission that another cell made with one of our ledger users, according to the submission's completion. */
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
  /** ISO 8601; `null` if the cell has never claimed its ledger users. */
  readonly claimedAt: string | null;
}

/**
 * Returns whether another cell's submission was recorded after this cell had claimed its ledger users. Earlier
 * submissions do not show a conflict.
 *
 * @param recordedAt ISO 8601
 */
export function isSinceClaim({ claimedAt }: OwnCell, recordedAt: string): boolean {
  return claimedAt === null || Date.parse(recordedAt) > Date.parse(claimedAt);
}

/** One of our ledger users, with the annotation that its participant stores. */
export interface AnnotatedLedgerUser {
  readonly participant: string;
  readonly ledgerUser: string;
  /** The cell that the user's annotation names; `null` without an annotation. */
  readonly annotation: string | null;
}

/** Which cell a ledger user belongs to, as far as this cell can observe. */
export type Belonging =
  /** The annotation names our cell. */
  | { readonly kind: 'ours' }
  /** There is no annotation, and no other cell was observed. */
  | { readonly kind: 'unannotated' }
  | { readonly kind: 'annotated'; readonly cell: string }
  /** Another cell submits as this user. The older one of the two cells may continue. */
  | { readonly kind: 'seen'; readonly other: OtherCell; readonly isOlder: boolean };

/**
 * Returns which cell a ledger user belongs to. An existing annotation decides, because it was written by a person or by
 * the first cell with permission to write it. Submissions that other cells made before the users were claimed do not
 * count.
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
