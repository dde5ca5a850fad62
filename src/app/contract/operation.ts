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

/** A change whose command is being created. `body` and `fixed` were recorded with the change. */
export interface Asked<Body, Fixed> {
  readonly change: Change;
  readonly body: Body;
  readonly fixed: Fixed;
}

/** The data from which a command's argument is made. */
export interface Attempt<Body, Fixed = JsonRecord, Facts = unknown, Of = Lifecycle> extends Asked<
  Body,
  Fixed
> {
  readonly lifecycle: Of;
  readonly facts: Facts;
}

/** The data for a command that creates a contract and begins a lifecycle, which does not exist yet. */
export type FirstAttempt<Body, Fixed = JsonRecord> = Attempt<Body, Fixed, unknown, null>;

/** A change that is about to be recorded while its lane is locked. */
export interface Recording<Body = JsonRecord, Of = Lifecycle> {
  readonly tx: Pick<Tx, 'settlement' | 'begunThrough' | 'findLifecycle' | 'alike'>;
  readonly body: Body;
  readonly lifecycle: Of;
  /** The lifecycle through which the caller addressed the target, or `null`. */
  readonly through: Lifecycle | null;
  /** Ledger time that has certainly passed. */
  readonly certainMs: number;
  /** A time that the ledger has certainly reached. */
  readonly pastMs: number;
}

/** Data from other services that must be fetched again for each attempt, because it changes. */
export interface Gathered<Facts = unknown> {
  readonly facts: Facts;
  readonly disclosed: readonly DisclosedContract[];
}

/** The request that corresponds to the exercise of a choice, as the operation's own route would record it. */
export interface Meaning<Body = JsonRecord> {
  readonly body: Body;
  /** See {@link Through}. */
  readonly within?: string;
}

/** A second lifecycle that an operation needs besides its target. Callers may name it as well. */
export interface Through {
  readonly kind: string;
  /** Returns the second lifecycle's ID from the fixed parts of a recorded change. */
  readonly idOf: (fixed: JsonRecord) => LifecycleId | undefined;
  /** The answer to an attempt if the second lifecycle has ended. */
  readonly ended: { readonly code: string; readonly explanation: string };
  /**
   * Set if the second lifecycle is the origin (see `Lifecycle.originId`): the refusal if the caller names another
   * origin than the target has. A target without an origin gets the named one in this step.
   */
  readonly another?: { readonly code: ProblemCode; readonly explanation: string };
}

/** Returns whether an operation names an origin other than its lifecycle's. */
export const isOfAnother = (
  { originId }: Pick<Lifecycle, 'originId'>,
  named: LifecycleId | null,
): boolean => originId !== null && named !== null && named !== originId;

/** The effects of an update, as far as the operation's answer needs them. */
export interface Done<Body = JsonRecord> {
  readonly change: Change;
  readonly body: Body;
  /** Returns the first contract of a template that the update created. */
  readonly created: <P>(template: TemplateDefinition<P>) => Created<P> | undefined;
  /** The result of the choice; `null` if the update was not received. */
  readonly result: Json;
}

/** An update that may be the effect of a change. */
export interface Candidate<Body, Fixed> extends Asked<Body, Fixed> {
  readonly created: <P>(template: TemplateDefinition<P>) => Created<P> | undefined;
}

/**
 * The effect of a choice on the contract on which it is exercised.
 *
 * - `ends`: archives the contract; the machine receives this event.
 * - `replaces`: archives the contract and creates the next contract of the same lifecycle.
 * - `keeps`: does not archive the contract.
 */
export type Consequence<Event extends { readonly type: string }> =
  | ({ readonly kind: 'ends' } & Ending<Event>)
  | { readonly kind: 'replaces' }
  | { readonly kind: 'keeps' };

/** A command that exercises a choice on the contract of a lifecycle. */
export interface Choice<Argument extends LfRecord, Event extends { readonly type: string }> {
  readonly kind: 'choice';
  /** The template or interface that has the choice. */
  readonly template: TemplateName;
  readonly name: string;
  readonly argument: Argument;
  readonly consequence: Consequence<Event>;
  /** Set if the built-in choice `Archive` is used when the ledger's package lacks this choice. */
  readonly elseArchive?: { readonly lacking: string };
}

/** A command that creates a contract. */
export interface Creation<Argument extends LfRecord = LfRecord> {
  readonly kind: 'create';
  readonly template: TemplateName;
  readonly argument: Argument;
  /**
   * The provider of the lifecycle that the new contract begins, and the reason if a caller may not request it. Only for
   * operations without a target.
   */
  readonly begins?: {
    readonly provider: (body: JsonRecord) => Party | undefined;
    readonly refusal: (caller: Caller, body: JsonRecord) => string | null;
  };
}

/**
 * The definition of an operation: everything in which operations differ. All operations are processed in the same way.
 *
 * `Body` is the caller's input, `Fixed` was chosen when the change was recorded, `Facts` were gathered for the attempt,
 * and `Of` is the target lifecycle.
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
  /** The kind of the target lifecycle; `null` for an operation that begins a lifecycle. */
  readonly kind: string | null;
  /**
   * The name of the machine's action, which decides who may request the operation, and when; `null` if there is no
   * lifecycle yet.
   */
  readonly action: string | null;
  /** The party that signs on the ledger: the caller or the provider. */
  readonly actAs: 'caller' | 'provider';
  readonly command: Choice<Argument, Event> | Creation<Argument>;
  /** The feature that the ledger's package must have, and the message to callers if the package lacks it. */
  readonly needs?: { readonly feature: string; readonly missing: string };
  readonly through?: Through;
  /** Returns the message for a missing target. @default `<word> not found for contract <id>` */
  readonly notFound?: (id: string) => string;
  /**
   * Returns the values that all attempts share: IDs and times that the caller does not provide.
   *
   * @throws ProblemError if the ledger would certainly refuse the change
   */
  readonly fix?: (recording: Recording<Body, Of>) => Fixed | Promise<Fixed>;
  /** Fetches the data from other services that an attempt needs. May throw `RegistryError`. */
  readonly gather?: (
    attempt: Asked<Body, Fixed> & {
      readonly registry: TokenRegistry;
      readonly through: Lifecycle | null;
    },
    io: Io,
  ) => Promise<Gathered<Facts>>;
  /** Returns the command's argument in the query store's encoding. Must depend only on recorded and gathered data. */
  readonly argument: (attempt: Attempt<Body, Fixed, Facts, Of>) => LfValue<Argument>;
  /** Returns the answer to the caller of a successful change. */
  readonly answer: (done: Done<Body>) => ChangeResult;
  /**
   * Returns whether an update with the change's workflow ID is the change's effect. Called after the check of the
   * command itself: the update exercised its choice on a contract that an attempt named, or created a contract of its
   * template.
   */
  readonly isEffect?: (candidate: Candidate<Body, Fixed>) => boolean;
  /** Reads the choice's argument as written by a caller; absent if the operation has no request in ledger terms. */
  readonly means?: (argument: Json, lifecycle: Lifecycle) => Meaning<Body>;
  /**
   * Returns why the policy that requested the change would no longer do so, judging by the state of the lane, or
   * `null`.
   */
  readonly outdated?: (
    origin: PolicyOrigin,
    lifecycle: Lifecycle,
    now: Circumstances,
  ) => string | null;
}

/**
 * Stores a typed operation as the common type: the body and the fixed parts of a change have the types of its
 * operation.
 */
const erased = (definition: unknown): OperationDefinition => definition as OperationDefinition;

/**
 * Defines an operation on a kind of lifecycle. The compiler checks the argument against its type, and an ending against
 * the events of the machine.
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

/** Returns whether success archives the contract: then at most one attempt on a contract can succeed. */
export const endsItsContract = ({ command }: OperationDefinition): boolean =>
  command.kind === 'choice' && command.consequence.kind !== 'keeps';
