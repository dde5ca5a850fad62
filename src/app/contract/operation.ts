import type { PolicyOrigin } from '../../domain/automatic.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Change, ChangeResult } from '../../domain/change.ts';
import type { LifecycleId, Party } from '../../domain/ids.ts';
import type { Json, JsonRecord } from '../../domain/json.ts';
import type { DisclosedContract, TemplateName } from '../../domain/ledger.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import type { ProblemCode } from '../../domain/problems.ts';
import type {
  Circumstances,
  EventOf,
  LifecycleDescription,
} from '../../../machines/machine-kit.ts';
import type { Io } from '../ports/io.ts';
import type { TokenRegistry } from '../ports/registry.ts';
import type { Tx } from '../ports/transaction.ts';
import type { LfRecord, LfValue } from './lf.ts';
import type { Created, Ending, TemplateDefinition } from './template.ts';

/** What a change is of, when its command is made. `body` and `fixed` are what was recorded with it. */
export interface Asked<Body, Fixed> {
  readonly change: Change;
  readonly body: Body;
  readonly fixed: Fixed;
}

/** What the argument of a command is made of. */
export interface Attempt<Body, Fixed = JsonRecord, Facts = unknown, Of = Lifecycle> extends Asked<
  Body,
  Fixed
> {
  readonly lifecycle: Of;
  readonly facts: Facts;
}

/** What a create is made of that begins a lifecycle: there is none yet. */
export type FirstAttempt<Body, Fixed = JsonRecord> = Attempt<Body, Fixed, unknown, null>;

/** A change that is about to be recorded, in its locked lane. */
export interface Recording<Body = JsonRecord, Of = Lifecycle> {
  readonly tx: Pick<Tx, 'settlement' | 'begunThrough' | 'findLifecycle' | 'alike'>;
  readonly body: Body;
  readonly lifecycle: Of;
  /** The lifecycle through which the caller addresses it. */
  readonly through: Lifecycle | null;
  /** Ledger time that is certainly past. */
  readonly certainMs: number;
  /** A time that the ledger has certainly reached. */
  readonly pastMs: number;
}

/** What has to be asked of others for each attempt anew, because it changes. */
export interface Gathered<Facts = unknown> {
  readonly facts: Facts;
  readonly disclosed: readonly DisclosedContract[];
}

/** What the exercise of a choice asks for in the ledger's words, as the operation's own route would record it. */
export interface Meaning<Body = JsonRecord> {
  readonly body: Body;
  /** See {@link Through}. */
  readonly within?: string;
}

/** An operation that acts on one lifecycle and needs another one that callers may name as well. */
export interface Through {
  readonly kind: string;
  /** Where a recorded change keeps it. */
  readonly idOf: (fixed: JsonRecord) => LifecycleId | undefined;
  /** The answer of an attempt when it has ended. */
  readonly ended: { readonly code: string; readonly explanation: string };
  /**
   * Set where it is the origin, see `Lifecycle.originId`: the refusal of another one. A lifecycle without an origin has
   * the named one from that step on.
   */
  readonly another?: { readonly code: ProblemCode; readonly explanation: string };
}

/** Whether an operation names another origin than its lifecycle has. */
export const isOfAnother = (
  { originId }: Pick<Lifecycle, 'originId'>,
  named: LifecycleId | null,
): boolean => originId !== null && named !== null && named !== originId;

/** What an update did, as its answer needs it. */
export interface Done<Body = JsonRecord> {
  readonly change: Change;
  readonly body: Body;
  /** The first contract of a template that the update created. */
  readonly created: <P>(template: TemplateDefinition<P>) => Created<P> | undefined;
  /** What the choice returned; `null` where the update was not seen. */
  readonly result: Json;
}

/** An update that may be the effect of a change. */
export interface Candidate<Body, Fixed> extends Asked<Body, Fixed> {
  readonly created: <P>(template: TemplateDefinition<P>) => Created<P> | undefined;
}

/**
 * What becomes of the contract that a choice is exercised on.
 *
 * - `ends`: it is consumed, and the machine is told which event.
 * - `replaces`: it is consumed, and the next one of the same lifecycle is created.
 * - `keeps`: it stays.
 */
export type Consequence<Event extends { readonly type: string }> =
  | ({ readonly kind: 'ends' } & Ending<Event>)
  | { readonly kind: 'replaces' }
  | { readonly kind: 'keeps' };

/** The exercise of a choice on the contract of a lifecycle. */
export interface Choice<Argument extends LfRecord, Event extends { readonly type: string }> {
  readonly kind: 'choice';
  /** The template, or the interface of which it is a choice. */
  readonly template: TemplateName;
  readonly name: string;
  readonly argument: Argument;
  readonly consequence: Consequence<Event>;
  /** Where the ledger's package lacks the choice, its built-in `Archive` does the same. */
  readonly elseArchive?: { readonly lacking: string };
}

/** The creation of a contract. */
export interface Creation<Argument extends LfRecord = LfRecord> {
  readonly kind: 'create';
  readonly template: TemplateName;
  readonly argument: Argument;
  /** Who it is about and why a caller may not ask for it; only where it is asked of no lifecycle. */
  readonly begins?: {
    readonly provider: (body: JsonRecord) => Party | undefined;
    readonly refusal: (caller: Caller, body: JsonRecord) => string | null;
  };
}

/**
 * Everything that tells one operation from another; behaviour is the same for all.
 *
 * `Body` is what a caller sent, `Fixed` what was chosen when the change was recorded, `Facts` what was asked of others
 * for the attempt, `Of` the lifecycle that it is asked of.
 */
export interface OperationDefinition<
  Body = JsonRecord,
  Fixed = JsonRecord,
  Facts = unknown,
  Argument extends LfRecord = LfRecord,
  Event extends { readonly type: string } = { readonly type: string },
  Of extends Lifecycle | null = Lifecycle | null,
> {
  readonly name: string;
  /** The kind of lifecycle that it is asked of; `null` for one that begins a lifecycle. */
  readonly kind: string | null;
  /** The machine's action of this name decides who may and when; `null` where there is no lifecycle yet. */
  readonly action: string | null;
  /** Whose signature the ledger needs: the caller's own, or the provider's. */
  readonly actAs: 'caller' | 'provider';
  readonly command: Choice<Argument, Event> | Creation<Argument>;
  /** What the ledger's package must have for it; callers are told why it has not. */
  readonly needs?: { readonly feature: string; readonly missing: string };
  readonly through?: Through;
  /** What callers read where the target is not there, if not `<word> not found for contract <id>`. */
  readonly notFound?: (id: string) => string;
  /**
   * What is chosen once, so that all attempts carry the same: ids and times that the caller does not give.
   *
   * @throws ProblemError when it can be seen already that the ledger could only refuse it
   */
  readonly fix?: (recording: Recording<Body, Of>) => Fixed | Promise<Fixed>;
  /** Asks others for what an attempt needs. May throw `RegistryError`. */
  readonly gather?: (
    attempt: Asked<Body, Fixed> & {
      readonly registry: TokenRegistry;
      readonly through: Lifecycle | null;
    },
    io: Io,
  ) => Promise<Gathered<Facts>>;
  /** The command's argument, in the query store's encoding. Depends on what was recorded and gathered alone. */
  readonly argument: (attempt: Attempt<Body, Fixed, Facts, Of>) => LfValue<Argument>;
  /** What the caller gets for a success. */
  readonly answer: (done: Done<Body>) => ChangeResult;
  /**
   * Whether an update that carries the change's workflow ID is what it asked for, beyond what the command itself tells:
   * its choice on a contract that an attempt named, or a contract of its template.
   */
  readonly isEffect?: (candidate: Candidate<Body, Fixed>) => boolean;
  /** Reads the choice's argument as a caller writes it; absent where it cannot be asked for in those words. */
  readonly means?: (argument: Json, lifecycle: Lifecycle) => Meaning<Body>;
  /** Why a policy that asked for it would not any more, by what the lane shows, or `null`. */
  readonly outdated?: (
    origin: PolicyOrigin,
    lifecycle: Lifecycle,
    now: Circumstances,
  ) => string | null;
}

/**
 * Typed operations are kept as what all have in common; a change's own body and fixed parts are of its operation's
 * types.
 */
const erased = (definition: unknown): OperationDefinition => definition as OperationDefinition;

/**
 * Defines an operation on a kind of lifecycle. The argument is checked against its type, and an ending against the
 * events of the machine.
 *
 * @example
 * export const redeemVoucher = defineOperation(voucher, {
 *   name: 'redeem-voucher',
 *   action: 'redeem',
 *   actAs: 'caller',
 *   command: {
 *     kind: 'choice',
 *     template: Voucher.name,
 *     name: 'Voucher_Redeem',
 *     argument: record({ note: TEXT }),
 *     consequence: { kind: 'ends', event: 'ledger.voucherRedeemed', state: 'redeemed' },
 *   },
 *   argument: ({ body }: Attempt<{ note: string }>) => ({ note: body.note }),
 *   answer: () => ({ status: 204, body: null }),
 * });
 */
export const defineOperation = <
  Described extends LifecycleDescription,
  Argument extends LfRecord,
  Body = JsonRecord,
  Fixed = JsonRecord,
  Facts = unknown,
>(
  of: Described,
  definition: Omit<
    OperationDefinition<Body, Fixed, Facts, Argument, EventOf<Described>, Lifecycle>,
    'kind' | 'action'
  > & { readonly action: string },
): OperationDefinition => erased({ ...definition, kind: of.kind });

/** Defines an operation that creates the contract with which a lifecycle begins. */
export const defineBeginning = <Argument extends LfRecord, Body = JsonRecord, Fixed = JsonRecord>(
  definition: Omit<
    OperationDefinition<Body, Fixed, unknown, Argument, never, null>,
    'kind' | 'action' | 'command'
  > & { readonly command: Creation<Argument> & Required<Pick<Creation, 'begins'>> },
): OperationDefinition => erased({ ...definition, kind: null, action: null });

/** Whether success ends the contract that it is exercised on: at most one of several attempts can have it then. */
export const endsItsContract = ({ command }: OperationDefinition): boolean =>
  command.kind === 'choice' && command.consequence.kind !== 'keeps';
