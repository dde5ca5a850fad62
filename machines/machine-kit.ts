import type { JsonRecord } from '../src/domain/json.ts';
import type { LedgerTimes } from '../src/domain/time.ts';
import type { Lifecycle } from '../src/domain/lifecycle.ts';
import type { AnyStateMachine, ContextFrom, EventFromLogic, InputFrom } from 'xstate';

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

/**
 * What the ledger says of every lifecycle alike: its contract is no longer active, and its end cannot be read any more.
 */
export interface GoneEvent {
  readonly type: 'ledger.gone';
}

/** Makes of a snapshot that one version has written one that the next version would have written. Pure. */
export type Migration = (was: Snapshot) => Pick<Snapshot, 'state' | 'context'>;

/** For a version that reads the snapshots of the one before it as they are. */
export const asItWas: Migration = (was) => was;

/** An effect is the name of the operation whose command is submitted. It is run elsewhere, from an outbox row. */
export const runElsewhere = (): never => {
  throw new Error('lifecycle machines are stepped, never started');
};

/** Who may ask for an action, judged against the lifecycle's own parties. */
export const ACTION_ROLES = ['provider', 'user', 'either'] as const;
export type ActionRole = (typeof ACTION_ROLES)[number];

/** A machine's event, where the machine is not known. */
export interface MachineEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** What a step may depend on besides the lifecycle itself. */
export interface Circumstances extends LedgerTimes {
  /** The lifecycles of its lane that belong to it. */
  readonly around: readonly Lifecycle[];
  /** What the caller sent; empty where nothing is asked yet. */
  readonly body: JsonRecord;
}

/** A time that ends what keeps an action from being taken: ours is past it, the ledger has yet to say so. */
export interface AwaitedTime {
  /** ISO 8601. */
  readonly at: string;
  /** What ends then, in words. */
  readonly of: string;
}

interface ActionBase<Context> {
  readonly name: string;
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
  /** What its guard asks for, in words; of every action whose transition has a guard. */
  readonly when?: string;
  /** Why a guard keeps it from being taken now, in words. */
  readonly whyNot?: (context: Context, now: Circumstances) => string;
  /** The only thing that keeps it from being taken now, where that is a time; else `null`. */
  readonly awaits?: (now: Circumstances) => AwaitedTime | null;
}

/** One thing a caller can ask of a lifecycle, and the machine event that asks it. */
export interface LifecycleAction extends ActionBase<JsonRecord> {
  readonly event: string;
  /** The fields of the event besides its change. */
  readonly fields?: (now: Circumstances) => Readonly<Record<string, unknown>>;
}

/** The fields of an event besides its type and its change. */
type FieldsOf<Event> = Omit<Event, 'type' | 'changeId'>;

/** The actions that a machine's events allow: one for each event of a change, with all the fields of that event. */
type ActionOf<Event, Context> = Event extends {
  readonly type: infer Type;
  readonly changeId: string;
}
  ? ActionBase<Context> & { readonly event: Type } & ([keyof FieldsOf<Event>] extends [never]
        ? { readonly fields?: never }
        : { readonly fields: (now: Circumstances) => FieldsOf<Event> })
  : never;

/** Everything the rest of the system knows of a lifecycle: its machine, and what can be asked of it. */
export interface LifecycleDescription {
  readonly kind: string;
  /** Raised whenever states, events or context of the machine change: test/histories/shapes holds each version's. */
  readonly version: number;
  /** How snapshots of older versions go on: the first leads from version 1 to version 2. */
  readonly migrations: readonly Migration[];
  readonly actions: readonly LifecycleAction[];
  readonly machine: AnyStateMachine;
}

/** A description that remembers the types of its machine's events and input. */
export interface TypedLifecycle<M extends AnyStateMachine> extends LifecycleDescription {
  readonly machine: M;
}

/** The events of a described machine. */
export type EventOf<L extends LifecycleDescription> = EventFromLogic<L['machine']>;

/** What a described machine begins with. */
export type InputOf<L extends LifecycleDescription> = InputFrom<L['machine']>;

/**
 * Describes a lifecycle. Actions are typed by the machine: one that names an event which the machine does not know, or
 * leaves out a field of it, does not compile.
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
