/**
 * What must hold whatever is killed, cut, duplicated, delayed or wiped.
 *
 * - `I1`  no licence is renewed twice by one accepted renewal.
 * - `I2`  no fee is settled twice; no second open renewal by retry.
 * - `I3`  every accepted operation: one ledger effect or one definite refusal, in the end never neither.
 * - `I4`  no command ID with two meanings, no meaning with two effects.
 * - `I5`  nothing expired before its time.
 * - `I6`  the store equals a replay of the updates.
 * - `I7`  offsets strictly increase, no gap after a cut.
 * - `I8`  effects of one lane in the order of its mailbox.
 * - `I9`  every timer fires once, not early.
 * - `I10` every operation that is not final has a lease, a timer or a stated wait.
 * - `I11` every state change has a line that says who and why.
 * - `I12` an expiry by a policy names the lapse of the contract that it ended, and kept its grace.
 * - `I13` a lifecycle that has ended has no active contract.
 * - `I14` nothing ended by a proof that the streams had not given.
 * - `I15` every blocked effect has a cause.
 * - `I16` every settled renewal extended the licence for which it was requested.
 * - `I17` each attempt was submitted as the ledger user in its row.
 * - `I18` the row of every subscription misses no step that the ledger's facts ask for.
 * - `I19` a licence has at most one open offer of one period, and none after its end or made during a suspension.
 * - `I20` no period of a subscription is paid twice.
 */
export const INVARIANTS = [
  'I1',
  'I2',
  'I3',
  'I4',
  'I5',
  'I6',
  'I7',
  'I8',
  'I9',
  'I10',
  'I11',
  'I12',
  'I13',
  'I14',
  'I15',
  'I16',
  'I17',
  'I18',
  'I19',
  'I20',
] as const;
export type InvariantId = (typeof INVARIANTS)[number];

/** The subjects of a violation, by the names under which they can be looked up. */
export interface Subjects {
  readonly changeId?: string;
  readonly commandId?: string;
  readonly lane?: string;
  readonly lifecycleId?: string;
  readonly contractId?: string;
  readonly updateId?: string;
  readonly submissionId?: string;
  /** A name of a stream, `updates` or `completions:<participant>`. */
  readonly stream?: string;
  readonly timer?: string;
  readonly offset?: bigint;
}

/** An invariant that does not hold. */
export interface Violation {
  readonly invariant: InvariantId;
  /** One sentence with the values that contradict each other. */
  readonly what: string;
  readonly subjects: Subjects;
  /** Advice for a person. */
  readonly todo: string;
}

/** Equal findings in two parts of the evidence count as one. */
export const keyOf = ({ invariant, what }: Violation): string => `${invariant} ${what}`;
