import type { Violation } from './invariants/violation.ts';

/**
 * A result of the doctor about one thing.
 *
 * - `well`: the thing is in order.
 * - `wrong`: a person should act; `todo` says what to do.
 * - `unseen`: the thing was not checked, because of a `wrong` finding, or because the check was not requested.
 */
export interface Finding {
  readonly area: Area;
  readonly level: 'well' | 'wrong' | 'unseen';
  readonly what: string;
  readonly todo?: string;
  /** The broken invariant with its subjects, if the finding reports one. */
  readonly violation?: Violation;
}

export const AREAS = [
  'configuration',
  'database',
  'ledger',
  'clocks',
  'streams',
  'leases',
  'queue',
  'outbox',
  'operations',
  'audit',
  'invariants',
] as const;
export type Area = (typeof AREAS)[number];

export const well = (area: Area, what: string): Finding => ({ area, level: 'well', what });
export const wrong = (area: Area, what: string, todo: string): Finding => ({
  area,
  level: 'wrong',
  what,
  todo,
});
export const unseen = (area: Area, what: string): Finding => ({ area, level: 'unseen', what });

/** Returns the exit code: 0 if there is no problem, 1 if something is wrong, and 2 if nothing could be checked. */
export function exitCodeOf(findings: readonly Finding[]): 0 | 1 | 2 {
  const looked = findings.filter(({ area, level }) => area !== 'configuration' && level === 'well');
  const isWrong = findings.some(({ level }) => level === 'wrong');
  if (looked.length === 0 && isWrong) return 2;
  return isWrong ? 1 : 0;
}
