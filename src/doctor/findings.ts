import type { Violation } from './invariants/violation.ts';

/**
 * What the doctor says of one thing.
 *
 * - `well`: it is as it should be.
 * - `wrong`: somebody should do something about it; `todo` says what.
 * - `unseen`: it could not be looked at, because of something that is `wrong`, or because it was not asked for.
 */
export interface Finding {
  readonly area: Area;
  readonly level: 'well' | 'wrong' | 'unseen';
  readonly what: string;
  readonly todo?: string;
  /** With a broken invariant: which, and what it is about. */
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

/** 0: all is well. 1: something is wrong. 2: nothing could be looked at. */
export function exitCodeOf(findings: readonly Finding[]): 0 | 1 | 2 {
  const looked = findings.filter(({ area, level }) => area !== 'configuration' && level === 'well');
  const isWrong = findings.some(({ level }) => level === 'wrong');
  if (looked.length === 0 && isWrong) return 2;
  return isWrong ? 1 : 0;
}
