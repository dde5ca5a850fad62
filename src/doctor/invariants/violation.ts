/**
 * The rules that must hold even if parts of the system are killed, cut off, duplicated, delayed or wiped.
 *
 * - `I1` no licence is renewed twice by one accepted renewal.
 * - `I2` no fee is settled twice, and a retry opens no second renewal.
 * - `I3` every accepted operation has either one ledger effect or one definite refusal, and in the end one of the two.
 * - `I4` no command ID stands for two changes, and no change has two effects.
 * - `I5` no licence is expired before its time.
 * - `I6` the store equals a replay of the updates.
 * - `I7` offsets strictly increase, and there is no gap after a connection was cut.
 * - `I8` effects of one lane happen in the order of its mailbox.
 * - `I9` every timer fires once, and not early.
 * - `I10` every operation that is not final has a lease, a timer or a stated wait.
 * - `I11` every state change has a history line that says who made it and why.
 * - `I12` an expiry by a policy names the lapse of the contract that it ended, and respected the policy's grace period.
 * - `I13` a lifecycle that has ended has no active contract.
 * - `I14` no attempt is declared over before the streams have proven that it can no longer take effect.
 * - `I15` every blocked effect has a cause.
 * - `I16` every settled renewal extended the licence for which it was requested.
 * - `I17` each attempt was submitted as the ledger user in its row.
 * - `I18` the row of a subscription misses no step that the ledger's facts require.
 * - `I19` a licence has at most one open offer for a period, and none made after its end or during a suspension.
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

/** The subjects of a violation, under the names by which they can be looked up. */
export interface Subjects {
  readonly changeId?: string;
  readonly commandId?: string;
  readonly lane?: string;
  readonly lifecycleId?: string;
  readonly contractId?: string;
  readonly updateId?: string;
  readonly submissionId?: string;
  /** The name of a stream: `updates` or `completions:<participant>`. */
  readonly stream?: string;
  readonly timer?: string;
  readonly offset?: bigint;
}

/** An invariant that does not hold. */
export interface Violation {
  readonly invariant: InvariantId;
  /** One sentence that states the contradictory values. */
  readonly what: string;
  readonly subjects: Subjects;
  /** Advice for a person. */
  readonly todo: string;
}

/** Returns a key by which a violation that is found in two parts of the evidence is counted once. */
export const keyOf = ({ invariant, what }: Violation): string => `${invariant} ${what}`;
