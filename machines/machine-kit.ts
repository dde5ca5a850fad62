import type { JsonRecord } from '../src/domain/json.ts';
import type { LedgerTimes } from '../src/domain/time.ts';
import type { Lifecycle } from '../src/domain/lifecycle.ts';
import type { AnyStateMachine, ContextFrom, EventFromLogic, InputFrom } from 'xstate';

/** The outcome of the change at the head of the lane. Every machine accepts both. */
export type OutcomeEvent =
  | { readonly type: 'command.succeeded'; readonly changeId: string }
  | { readonly type: 'command.refused'; readonly changeId: string };

/** The state of a lifecycle's machine, as a database row stores it. Contains JSON values only. */
export interface Snapshot {
  /** Version of the definition that wrote the snapshot. */
  readonly machineVersion: number;
  readonly state: string;
  readonly context: JsonRecord;
}

/**
 * The ledger fact that all kinds of lifecycle have in common: the contract is not active, and its end can no longer be
 * read.
 */
export interface GoneEvent {
  readonly type: 'ledger.gone';
}

/** Converts a snapshot of one version to the next version. Pure. */
export type Migration = (was: Snapshot) => Pick<Snapshot, 'state' | 'context'>;

/** For a version that uses the snapshots of the previous version unchanged. */
export const asItWas: Migration = (was) => was;

/**
 * Stands for the effect of a machine action, which is the name of the operation whose command is submitted. The effect
 * is not run by the machine: it is stored in an outbox row and run later.
 */
export const runElsewhere = (): never => {
  throw new Error('lifecycle machines are stepped, never started');
};

/** The roles that may take an action, judged against the lifecycle's own parties. */
export const ACTION_ROLES = ['provider', 'user', 'either'] as const;
export type ActionRole = (typeof ACTION_ROLES)[number];

/** An event of an unspecified machine. */
export interface MachineEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Inputs of a step in addition to the lifecycle itself. */
export interface Circumstances extends LedgerTimes {
  /** The other lifecycles in its lane that belong to the lifecycle. */
  readonly around: readonly Lifecycle[];
  /** The body of the caller's request; empty if there is no request yet. */
  readonly body: JsonRecord;
}

/** A time that blocks an action: it has passed by our clock, but the ledger has not yet confirmed it. */
export interface AwaitedTime {
  /** ISO 8601. */
  readonly at: string;
  /** The event that happens at this time, in words. */
  readonly of: string;
}

interface ActionBase<Context> {
  readonly name: string;
  readonly role: ActionRole;
  /** The colon path segment: `POST /<resource>/{id}:<verb>`. */
  readonly verb: string;
  /** The path of the request, when it is not the colon segment: the part after `/<resource>/{id}`. */
  readonly path?: string;
  /**
   * The action does not change the lifecycle's state: the machine decides when the action is allowed, but no other step
   * waits for the action. Each caller of the action has a separate lane.
   */
  readonly isAside?: true;
  /** The condition of the guard, in words; required for every action whose transition has a guard. */
  readonly when?: string;
  /** Returns in words why the guard refuses the action now. */
  readonly whyNot?: (context: Context, now: Circumstances) => string;
  /** Returns the time that blocks the action; `null` if no time or also something else blocks it. */
  readonly awaits?: (now: Circumstances) => AwaitedTime | null;
}

/** An action that a caller can request on a lifecycle, and the machine event of the request. */
export interface LifecycleAction extends ActionBase<JsonRecord> {
  readonly event: string;
  /** The fields of the event in addition to its change. */
  readonly fields?: (now: Circumstances) => Readonly<Record<string, unknown>>;
}

/** The fields of an event in addition to its type and its change. */
type FieldsOf<Event> = Omit<Event, 'type' | 'changeId'>;

/**
 * The actions that a machine's events allow: one action for each event of a change, with all the fields of that event.
 */
type ActionOf<Event, Context> = Event extends {
  readonly type: infer Type;
  readonly changeId: string;
}
  ? ActionBase<Context> & { readonly event: Type } & ([keyof FieldsOf<Event>] extends [never]
        ? { readonly fields?: never }
        : { readonly fields: (now: Circumstances) => FieldsOf<Event> })
  : never;

/** All that other code knows about a kind of lifecycle: its machine, and the actions on it. */
export interface LifecycleDescription {
  readonly kind: string;
  /**
   * Raised whenever the states, events or context of the machine change. test/histories/shapes contains the shape of
   * each version.
   */
  readonly version: number;
  /** Converts snapshots of older versions: the first migration leads from version 1 to version 2. */
  readonly migrations: readonly Migration[];
  readonly actions: readonly LifecycleAction[];
  readonly machine: AnyStateMachine;
}

/** A description that keeps the types of its machine's events and input. */
export interface TypedLifecycle<M extends AnyStateMachine> extends LifecycleDescription {
  readonly machine: M;
}

/** The events of a described machine. */
export type EventOf<L extends LifecycleDescription> = EventFromLogic<L['machine']>;

/** The input of a described machine. */
export type InputOf<L extends LifecycleDescription> = InputFrom<L['machine']>;

/**
 * Describes a lifecycle. The machine types its actions: an action with an unknown event, or without a field of its
 * event, does not compile.
 *
 * @example
 * export const install = defineLifecycle({
 *   kind: 'install',
 *   version: 1,
 *   migrations: [],
 *   machine: installMachine,
 *   actions: [{ name: 'cancel', event: 'install.cancel', role: 'either', verb: 'cancel' }],
 * });
 */
export const defineLifecycle = <M extends AnyStateMachine>(
  described: Omit<LifecycleDescription, 'actions' | 'machine'> & {
    readonly machine: M;
    readonly actions: readonly ActionOf<Exclude<EventFromLogic<M>, OutcomeEvent>, ContextFrom<M>>[];
  },
): TypedLifecycle<M> => described as unknown as TypedLifecycle<M>;
