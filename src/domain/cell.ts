import type { SubmissionId } from './ids.ts';
import { trusted } from './ids.ts';

/*
 * A cell is one deployment: see docs/SCALING.md. No ledger user belongs to two. A participant keeps two things by which
 * one cell can see another: what its users are annotated with, and the submission IDs of completions.
 */

/** The annotation of a ledger user that names the cell it belongs to. */
export const CELL_ANNOTATION = 'tenure-cell';

const CELL = '[0-9a-f]{16}';
const SUBMISSION = new RegExp(`^(${CELL}):[0-9a-f-]{36}$`, 'u');

/** A new cell's name. Of two the smaller is the older one. @param end four digits of chance, in hex */
export const newCellId = (nowMs: number, end: string): string =>
  `${nowMs.toString(16).padStart(12, '0')}${end}`;

/** What a cell submits under. @param uuid new for each attempt */
export const submissionIdOf = ({ id }: Pick<OwnCell, 'id'>, uuid: string): SubmissionId =>
  trusted<SubmissionId>(`${id}:${uuid}`);

/** The cell that has submitted; `null`: it does not say, as earlier versions and other applications. */
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

/** The cell that a database is of. */
export interface OwnCell {
  readonly id: string;
  /** ISO 8601; `null`: its ledger users were never claimed. */
  readonly claimedAt: string | null;
}

/**
 * Whether what another cell has submitted counts: not from before the users were claimed.
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
  /** The cell that it is annotated with. */
  readonly annotation: string | null;
}

/** Whose a ledger user is, by what can be seen. */
export type Belonging =
  /** Annotated as ours. */
  | { readonly kind: 'ours' }
  /** It has no annotation, and no other cell was seen. */
  | { readonly kind: 'unannotated' }
  | { readonly kind: 'annotated'; readonly cell: string }
  /** Another cell submits as it. Of two the older one may go on: it was there first. */
  | { readonly kind: 'seen'; readonly other: OtherCell; readonly isOlder: boolean };

/**
 * Whose a ledger user is. An annotation decides, where there is one: a person has made it, or the first cell that
 * might. What others submitted before the users were claimed does not count.
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
