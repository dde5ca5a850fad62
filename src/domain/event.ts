import type { LifecycleId, Party } from './ids.ts';
import type { JsonRecord } from './json.ts';

/**
 * The stages of an operation, by the names to which followers subscribe. `accepted` is the first event of every
 * operation, even if the operation is already in a later state.
 */
const OPERATION_EVENTS = [
  'accepted',
  'submitting',
  'retrying',
  'in-doubt',
  'succeeded',
  'rejected',
  'failed',
  'cancelled',
] as const;
const LIFECYCLE_EVENTS = ['began', 'changed', 'ended'] as const;

export type OperationEvent = `tenure.operation.${(typeof OPERATION_EVENTS)[number]}`;
/** Actions of the provider on a licence outside the ledger, and changes of a licence that only time causes. */
const LICENSE_EVENTS = [
  'suspended',
  'reinstated',
  'expiring',
  'expired',
  'renewal-unpaid',
  'price-changed',
] as const;

export type LifecycleEvent = `tenure.lifecycle.${(typeof LIFECYCLE_EVENTS)[number]}`;
export type LicenseEvent = `tenure.license.${(typeof LICENSE_EVENTS)[number]}`;
/** An operation has waited too long, and its alarm is over. For operators. */
const ALARM_EVENTS = ['raised', 'cleared'] as const;
export type AlarmEvent = `tenure.alarm.${(typeof ALARM_EVENTS)[number]}`;

/** Comments, which belong to no lifecycle, and persons' actions that concern no operation and no lifecycle. */
const OTHER_EVENTS = ['tenure.comment.made', 'tenure.audit.recorded'] as const;
export type EventType =
  | OperationEvent
  | LifecycleEvent
  | LicenseEvent
  | AlarmEvent
  | (typeof OTHER_EVENTS)[number];

export const EVENT_TYPES: readonly EventType[] = [
  ...OPERATION_EVENTS.map((name) => `tenure.operation.${name}` as const),
  ...LIFECYCLE_EVENTS.map((name) => `tenure.lifecycle.${name}` as const),
  ...LICENSE_EVENTS.map((name) => `tenure.license.${name}` as const),
  ...ALARM_EVENTS.map((name) => `tenure.alarm.${name}` as const),
  ...OTHER_EVENTS,
];

/** An event, written in the transaction that caused it. Its data is small and contains no secrets. */
export interface NewEvent {
  readonly type: EventType;
  /** The ID of the operation or lifecycle, the contract ID of a comment, or the object of an act. */
  readonly subject: string;
  /** `null` while an operation has no lifecycle, and for events that concern no lifecycle. */
  readonly lifecycleId: LifecycleId | null;
  /** The parties that may see the event. Operators may see it as well. */
  readonly parties: readonly Party[];
  readonly data: JsonRecord;
}

/** An event with its number. Followers resume after a number. */
export interface NumberedEvent extends NewEvent {
  readonly seq: bigint;
  /** ISO 8601: when it happened, by the database's clock. */
  readonly at: string;
}

/** In a pattern, `*` stands for the rest of a type, as in `tenure.operation.*`. */
const PATTERN =
  /^(?:\*|tenure\.(?:\*|(?:operation|lifecycle|license|alarm|comment|audit)\.(?:\*|[a-z-]+)))$/u;

/** Returns whether the pattern matches at least one event type. */
export const isEventPattern = (pattern: string): boolean =>
  PATTERN.test(pattern) && EVENT_TYPES.some((type) => isOfType(type, [pattern]));

/** Returns whether a type matches one of the patterns. @param patterns an empty list matches every type */
export const isOfType = (type: string, patterns: readonly string[]): boolean =>
  patterns.length === 0 ||
  patterns.some((pattern) =>
    pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern,
  );
