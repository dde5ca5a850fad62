import type { LifecycleId, Party } from './ids.ts';
import type { JsonRecord } from './json.ts';

/** What becomes of an operation, as subscribers name it. `accepted` is its beginning, whatever its state then is. */
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
/** What the provider does to a licence beside the ledger, and what is so of it because time has passed. */
const LICENSE_EVENTS = [
  'suspended',
  'reinstated',
  'expiring',
  'expired',
  'renewal-unpaid',
] as const;

export type LifecycleEvent = `tenure.lifecycle.${(typeof LIFECYCLE_EVENTS)[number]}`;
export type LicenseEvent = `tenure.license.${(typeof LICENSE_EVENTS)[number]}`;
/** What is said beside lifecycles, and what persons do that is neither of an operation nor of a lifecycle. */
const OTHER_EVENTS = ['tenure.comment.made', 'tenure.audit.recorded'] as const;
export type EventType =
  | OperationEvent
  | LifecycleEvent
  | LicenseEvent
  | (typeof OTHER_EVENTS)[number];

export const EVENT_TYPES: readonly EventType[] = [
  ...OPERATION_EVENTS.map((name) => `tenure.operation.${name}` as const),
  ...LIFECYCLE_EVENTS.map((name) => `tenure.lifecycle.${name}` as const),
  ...LICENSE_EVENTS.map((name) => `tenure.license.${name}` as const),
  ...OTHER_EVENTS,
];

/** Something that happened, as the transaction that made it happen leaves it. Small, and without secrets. */
export interface NewEvent {
  readonly type: EventType;
  /** The id of the operation or lifecycle, the contract of a comment, or what was acted on. */
  readonly subject: string;
  /** `null` for an operation that has none yet, and for what is of none. */
  readonly lifecycleId: LifecycleId | null;
  /** Who may see it, besides operators. */
  readonly parties: readonly Party[];
  readonly data: JsonRecord;
}

/** The same with its number, by which it is followed. */
export interface NumberedEvent extends NewEvent {
  readonly seq: bigint;
  /** ISO 8601: when it happened, by the database's clock. */
  readonly at: string;
}

/** `*` stands for the rest of a type: `tenure.operation.*`. */
const PATTERN =
  /^(?:\*|tenure\.(?:\*|(?:operation|lifecycle|license|comment|audit)\.(?:\*|[a-z-]+)))$/u;

/** Whether some type of event is meant by it. */
export const isEventPattern = (pattern: string): boolean =>
  PATTERN.test(pattern) && EVENT_TYPES.some((type) => isOfType(type, [pattern]));

/** @param patterns none: every type */
export const isOfType = (type: string, patterns: readonly string[]): boolean =>
  patterns.length === 0 ||
  patterns.some((pattern) =>
    pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern,
  );
