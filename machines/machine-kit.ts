import type { JsonRecord } from '../src/domain/json.ts';
import type { LifecycleKind } from '../src/domain/lifecycle.ts';

/** What came of the change at the head of the lane. Every machine takes both. */
export type OutcomeEvent =
  | { readonly type: 'command.succeeded'; readonly changeId: string }
  | { readonly type: 'command.refused'; readonly changeId: string };

/** Where a lifecycle is: what a row stores of its machine. JSON only. */
export interface Snapshot {
  /** Of the definition that wrote it. */
  readonly machineVersion: number;
  readonly state: string;
  readonly context: JsonRecord;
}

/** What the ledger says of every lifecycle alike: its contract is no longer active, and its end cannot be read any more. */
export interface GoneEvent {
  readonly type: 'ledger.gone';
}

/** Makes of a snapshot that one version has written one that the next version would have written. Pure. */
export type Migration = (was: Snapshot) => Pick<Snapshot, 'state' | 'context'>;

/** For a version that reads the snapshots of the one before it as they are. */
export const asItWas: Migration = (was) => was;

/** Effects are named in the machines and run elsewhere: `step` turns each into an outbox row. */
export const runElsewhere = (): never => {
  throw new Error('lifecycle machines are stepped, never started');
};

/** Who may ask for an action, judged against the lifecycle's own parties. */
export type ActionRole = 'provider' | 'user' | 'either';

/** One thing a caller can ask of a lifecycle, and the machine event that asks it. */
export interface LifecycleAction {
  readonly name: string;
  readonly event: string;
  readonly role: ActionRole;
  /** The colon path segment: `POST /<resource>/{id}:<verb>`. */
  readonly verb: string;
  /** Where it is asked for, when that is not the colon segment: what follows `/<resource>/{id}`. */
  readonly path?: string;
  /**
   * Happens beside the lifecycle: the machine says when, but no state changes and no other step waits for it. Each of
   * its callers has a lane of its own.
   */
  readonly isAside?: true;
  /**
   * Its guard asks whether it is too late: only what the ledger has certainly said is. Others ask whether it is early,
   * which the ledger judges again.
   */
  readonly isUntil?: true;
  /** Why a guard keeps it from being taken now, in words. */
  readonly whyNot?: (context: JsonRecord) => string;
}

/** Everything the rest of the system knows of a machine besides its transitions. */
export interface LifecycleDescription {
  readonly kind: LifecycleKind;
  /** Raised whenever states, events or context of the machine change: test/histories/shapes holds each version's. */
  readonly version: number;
  /** How snapshots of older versions go on: the first leads from version 1 to version 2. */
  readonly migrations: readonly Migration[];
  readonly actions: readonly LifecycleAction[];
}
