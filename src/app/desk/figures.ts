import type { TimerKind } from '../../domain/automatic.ts';
import type { BulkAction } from './bulk-acts.ts';
import type { ChangeState } from '../../domain/change.ts';
import type { Circuit, PauseScope } from '../../domain/pause.ts';
import type { Standstill } from '../../domain/standstill.ts';

/** Counts of open work in the whole deployment. Times are seconds by the database's clock. */
export interface Figures {
  readonly operations: readonly {
    readonly state: ChangeState;
    readonly number: number;
    /** The age of the one that was accepted first; `null` without one. */
    readonly oldestSeconds: number | null;
  }[];
  /** Effects of the outbox. */
  readonly effects: {
    /** Effects that may be dispatched, now or later. */
    readonly open: number;
    readonly due: number;
    /** Effects blocked by a pause, or because their ledger is foreign. */
    readonly held: number;
    /** The time since the earliest due time. */
    readonly lateSeconds: number;
  };
  readonly timers: readonly {
    readonly kind: TimerKind;
    /** Not fired. */
    readonly waiting: number;
    /** Timers that a policy lets fire, at the ledger's last known time. */
    readonly due: number;
    /** The ledger time since the earliest due time. */
    readonly lateSeconds: number;
    /**
     * Timers that have failed too often and need a person. Timers whose operation a person has cancelled do not count.
     */
    readonly givenUp: number;
  }[];
  readonly pauses: readonly { readonly scope: PauseScope; readonly number: number }[];
  /** Participants with an open circuit. */
  readonly circuits: readonly Pick<Circuit, 'participant' | 'reason'>[];
  /** Participants whose history is not the store's: nothing is sent to them. */
  readonly foreign: readonly string[];
  /** Effects of operations that the database has lost, while they raise an alarm. */
  readonly lostOperations: number;
  /** Standbys that stream the log while no commit waits for a standby: promoting one loses operations. */
  readonly asynchronousStandbys: number;
  /** Participants at a standstill: they report nothing more, or nothing usable. */
  readonly standstills: readonly (Pick<Standstill, 'kind'> & { readonly participant: string })[];
  readonly alarms: readonly { readonly kind: string; readonly number: number }[];
  readonly streams: readonly {
    readonly stream: string;
    readonly offset: number;
    /** The time since the record time of the newest applied element. */
    readonly recordAgeSeconds: number | null;
  }[];
  /** Webhooks of parties. */
  readonly webhooks: {
    readonly enabled: number;
    /** Enabled webhooks whose newest try has failed. */
    readonly failing: number;
    /** Webhooks disabled because of their targets. */
    readonly disabled: number;
    readonly disabledByParty: number;
    /** Webhooks without a successful delivery for three days, enabled or disabled for that reason. */
    readonly failingLong: number;
    /** Deliveries to enabled webhooks that are neither delivered nor given up. */
    readonly waiting: number;
    /** The age of the oldest of these deliveries. */
    readonly oldestSeconds: number;
  };
  /** Running bulk acts. */
  readonly bulkActs: readonly {
    readonly action: BulkAction;
    readonly running: number;
    /** The number of waiting items. */
    readonly left: number;
  }[];
  readonly leases: readonly { readonly name: string; readonly leftSeconds: number }[];
}
