import type { NewEvent } from '../../domain/event.ts';
import type { ContractId, LifecycleId, Party } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { CreatedEvent, TemplateName } from '../../domain/ledger.ts';
import type { Lifecycle, LifecycleColumns } from '../../domain/lifecycle.ts';
import type {
  EventOf,
  InputOf,
  LifecycleDescription,
  MachineEvent,
} from '../../../machines/machine-kit.ts';
import type { LifecycleView } from '../ports/views.ts';
import type { LfFields } from './lf.ts';
import type { Payload } from './payload.ts';
import { missingField, readPayload } from './payload.ts';

/** The values that a lifecycle takes from its contract. */
export interface Reading<Input = JsonRecord> {
  readonly provider: Party;
  readonly appUser: Party;
  /** The input of the lifecycle's machine. */
  readonly input: Input;
  readonly columns?: Partial<LifecycleColumns>;
}

/** How a contract of a lifecycle is replaced by the lifecycle's next contract. */
interface Replacement<P, Event> {
  /**
   * The choice inside which the contract is archived and the next one is created; if absent, the choice that archives
   * the contract also creates the next one.
   */
  readonly inside?: string;
  /** Returns the event that the machine receives. */
  readonly event: (payload: P) => Event;
}

/** The definition of a kind of lifecycle and its contracts. */
export interface LifecycleDefinition<
  P = JsonRecord,
  Input = JsonRecord,
  Event extends { readonly type: string } = MachineEvent,
> {
  readonly description: LifecycleDescription;
  /** The name of the lifecycle in messages to callers. */
  readonly word: string;
  readonly read: (payload: P) => Reading<Input>;
  readonly replacement?: Replacement<P, Event>;
  /**
   * The event and the final state for each choice that archives the contract and belongs to no operation. A choice that
   * is neither listed here nor an operation's ends the lifecycle as `gone`.
   */
  readonly endings: Readonly<Record<string, Ending<Event>>>;
  /** Returns when the lifecycle lapses; absent if lifecycles of this kind have no timer. */
  readonly lapse?: (lifecycle: Lifecycle) => string | null;
  /**
   * The kind of the origin: a step of the origin begins the lifecycle, and both share the origin's lane. A lifecycle
   * whose origin is unknown has a separate lane.
   */
  readonly origin?: string;
  /** Returns the REST body of a lifecycle. `nowMs` is ledger time. */
  readonly body: (view: LifecycleView, nowMs: number) => JsonRecord;
}

export interface Ending<Event extends { readonly type: string } = MachineEvent> {
  readonly event: Event['type'];
  /** The final state of the machine. A replay of the ledger has no machine and therefore takes the state from here. */
  readonly state: string;
}

/** The event about a new contract, without its identifiers. */
export type News = Pick<NewEvent, 'type' | 'parties' | 'data'>;

/** The definition of a contract's template. */
export interface TemplateDefinition<P = JsonRecord> {
  readonly name: TemplateName;
  /** `null` if the template's contracts have no lifecycle. */
  readonly lifecycle: LifecycleDefinition | null;
  /** Returns the fields of a payload that the definition describes. */
  readonly read: (payload: JsonRecord) => P;
  /**
   * Returns the event about a new contract without a lifecycle. `origin` is the lifecycle for which an operation
   * created the contract.
   */
  readonly news?: (payload: JsonRecord, origin: LifecycleId | null) => News;
  /** Returns the first required field that a payload lacks, or `undefined`. */
  readonly missing: (payload: JsonRecord) => string | undefined;
}

interface Described<Fields extends LfFields, Required extends keyof Fields> {
  readonly name: TemplateName;
  readonly fields: Fields;
  /** Names of fields that must be present and that are strings in the query store's encoding. */
  readonly required: readonly Required[];
}

/**
 * Defines a template: its payload, the kind of lifecycle of its contracts, and how such a lifecycle ends.
 *
 * The type of the payload is derived from `fields` and `required`, and the machine's input and events from the
 * description of the lifecycle: a misspelt field or event does not compile.
 *
 * @example
 * export const Voucher = defineTemplate(voucher, {
 *   name: { packageName: 'shop', moduleName: 'Shop', entityName: 'Voucher' },
 *   fields: { issuer: PARTY, holder: PARTY, validUntil: TIMESTAMP },
 *   required: ['issuer', 'holder', 'validUntil'],
 *   lifecycle: {
 *     word: 'Voucher',
 *     read: ({ issuer, holder, validUntil }) => ({
 *       provider: issuer,
 *       appUser: holder,
 *       input: { validUntil },
 *     }),
 *     endings: { Archive: { event: 'ledger.voucherRevoked', state: 'revoked' } },
 *     body: ({ lifecycle }) => ({ contractId: lifecycle.contractId }),
 *   },
 * });
 */
export function defineTemplate<
  Of extends LifecycleDescription,
  const Fields extends LfFields,
  const Required extends keyof Fields & string,
>(
  of: Of,
  defined: Described<Fields, Required> & {
    readonly lifecycle: NoInfer<
      Omit<LifecycleDefinition<Payload<Fields, Required>, InputOf<Of>, EventOf<Of>>, 'description'>
    >;
  },
): TemplateDefinition<Payload<Fields, Required>> {
  const template = defineBareTemplate(defined);
  const { lifecycle } = defined;
  const { replacement } = lifecycle;
  const untyped = {
    ...lifecycle,
    description: of,
    read: (payload: JsonRecord) => lifecycle.read(template.read(payload)),
    ...(replacement === undefined
      ? {}
      : {
          replacement: {
            ...replacement,
            event: (payload: JsonRecord) => replacement.event(template.read(payload)),
          },
        }),
  };
  return { ...template, lifecycle: untyped as unknown as LifecycleDefinition };
}

/** Defines a template whose contracts have no lifecycle. */
export const defineBareTemplate = <
  const Fields extends LfFields,
  const Required extends keyof Fields & string,
>({
  name,
  fields,
  required,
  news,
}: Described<Fields, Required> & {
  readonly news?: (payload: Payload<Fields, Required>, origin: LifecycleId | null) => News;
}): TemplateDefinition<Payload<Fields, Required>> => ({
  name,
  lifecycle: null,
  read: (payload) => readPayload<Fields, Required>(fields, required, payload),
  missing: (payload) => missingField(fields, required, payload),
  ...(news === undefined
    ? {}
    : {
        news: (payload: JsonRecord, origin: LifecycleId | null) =>
          news(readPayload<Fields, Required>(fields, required, payload), origin),
      }),
});

/** Returns a contract's payload. Contracts of our templates are always requested with their payload. */
export const payloadOf = ({ payload }: Pick<CreatedEvent, 'payload'>): JsonRecord => payload ?? {};

/** A contract that an update created, with its payload read by its template's definition. */
export interface Created<P> {
  readonly contractId: ContractId;
  readonly payload: P;
  /** The lifecycle that the contract began, if any. */
  readonly lifecycle: Lifecycle | undefined;
}
