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
    /** The age of the one that was accepted first; `null` if there is none. */
    readonly oldestSeconds: number | null;
  }[];
  /** Effects of the outbox. */
  readonly effects: {
    /** Effects that may be dispatched, now or later. */
    readonly open: number;
    readonly due: number;
    /** Put aside by a pause, or because their ledger is foreign. */
    readonly held: number;
    /** How long the one due first has been due. */
    readonly lateSeconds: number;
  };
  readonly timers: readonly {
    readonly kind: TimerKind;
    /** Not fired. */
    readonly waiting: number;
    /** Timers that a policy lets fire, at the ledger's last known time. */
    readonly due: number;
    /** How long the one due first has been due, in that time. */
    readonly lateSeconds: number;
    /**
     * Timers that have failed too often and need a person. Timers whose operation a person has cancelled do not count.
     */
    readonly givenUp: number;
  }[];
  readonly pauses: readonly { readonly scope: PauseScope; readonly number: number }[];
  /** Participants that are left alone at this moment. */
  readonly circuits: readonly Pick<Circuit, 'participant' | 'reason'>[];
  /** Participants whose history is not the store's: nothing is sent to them. */
  readonly foreign: readonly string[];
  /** Effects of operations that the database has lost, as long as they are an alarm. */
  readonly lostOperations: number;
  /** Standbys that stream the log while no commit waits for a standby: promoting one loses operations. */
  readonly asynchronousStandbys: number;
  /** Participants of which something keeps the answers away. */
  readonly standstills: readonly (Pick<Standstill, 'kind'> & { readonly participant: string })[];
  readonly alarms: readonly { readonly kind: string; readonly number: number }[];
  readonly streams: readonly {
    readonly stream: string;
    readonly offset: number;
    /** Since the record time of the newest that was applied. */
    readonly recordAgeSeconds: number | null;
  }[];
  /** Webhooks of parties. */
  readonly webhooks: {
    readonly enabled: number;
    /** Enabled ones whose newest try has failed. */
    readonly failing: number;
    /** Because of their targets. */
    readonly disabled: number;
    readonly disabledByParty: number;
    /** Webhooks without a successful delivery for three days, enabled or disabled because of it. */
    readonly failingLong: number;
    /** Deliveries to enabled ones that have not been taken, nor given up. */
    readonly waiting: number;
    /** Since the oldest of them was made. */
    readonly oldestSeconds: number;
  };
  /** Acts on many changes that are being worked off. */
  readonly bulkActs: readonly {
    readonly action: BulkAction;
    readonly running: number;
    /** Items that have not had their turn. */
    readonly left: number;
  }[];
  readonly leases: readonly { readonly name: string; readonly leftSeconds: number }[];
}
