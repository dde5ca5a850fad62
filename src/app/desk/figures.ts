import type { TimerKind } from '../../domain/automatic.ts';
import type { BulkAction } from './bulk-acts.ts';
import type { ChangeState } from '../../domain/change.ts';
import type { ParticipantCause } from '../../domain/participant-health.ts';
import type { PauseScope } from '../../domain/pause.ts';

/** Counts of open work in the whole deployment. Times are in seconds, by the database's clock. */
export interface Figures {
  readonly operations: readonly {
    readonly state: ChangeState;
    readonly number: number;
    /** The age of the operation that was accepted first; `null` if there is none. */
    readonly oldestSeconds: number | null;
  }[];
  /** Numbers of effects in the outbox. */
  readonly effects: {
    /** Effects that may be dispatched, now or later. */
    readonly open: number;
    readonly due: number;
    /** Effects blocked by a pause, or because their ledger is foreign. */
    readonly held: number;
    /** The time since the earliest of their due times. */
    readonly lateSeconds: number;
  };
  readonly timers: readonly {
    readonly kind: TimerKind;
    /** Timers that have not fired. */
    readonly waiting: number;
    /** Timers that a policy lets fire, at the last known ledger time. */
    readonly due: number;
    /** The ledger time since the earliest of their due times. */
    readonly lateSeconds: number;
    /**
     * Timers that have failed too often and need a person. Timers whose operation a person has cancelled are not
     * counted.
     */
    readonly givenUp: number;
  }[];
  readonly pauses: readonly { readonly scope: PauseScope; readonly number: number }[];
  /** Why participants are not healthy. */
  readonly participantCauses: readonly ParticipantCause[];
  /** Number of effects of operations that the database has lost, as long as they raise an alarm. */
  readonly lostOperations: number;
  /**
   * Number of standbys that stream the log although commits do not wait for any standby: promoting such a standby loses
   * operations.
   */
  readonly asynchronousStandbys: number;
  readonly alarms: readonly { readonly kind: string; readonly number: number }[];
  readonly streams: readonly {
    readonly stream: string;
    readonly offset: number;
    /** The time since the record time of the newest applied element. */
    readonly recordAgeSeconds: number | null;
  }[];
  /** Webhooks of all parties. */
  readonly webhooks: {
    readonly enabled: number;
    /** Enabled webhooks whose latest try failed. */
    readonly failing: number;
    /** Webhooks that were disabled because of their targets. */
    readonly disabled: number;
    readonly disabledByParty: number;
    /** Webhooks without a successful delivery for three days, whether still enabled or disabled for that reason. */
    readonly failingLong: number;
    /** Deliveries to enabled webhooks that are still pending. */
    readonly waiting: number;
    /** The age of the oldest pending delivery. */
    readonly oldestSeconds: number;
  };
  /** Running bulk acts. */
  readonly bulkActs: readonly {
    readonly action: BulkAction;
    readonly running: number;
    /** Number of items that have not been performed yet. */
    readonly left: number;
  }[];
  readonly leases: readonly { readonly name: string; readonly leftSeconds: number }[];
}
