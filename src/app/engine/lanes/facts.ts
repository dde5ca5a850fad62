import type { NewEvent } from '../../../domain/event.ts';
import type { ContractId, LifecycleId, Party } from '../../../domain/ids.ts';
import { trusted } from '../../../domain/ids.ts';
import type {
  CreatedEvent,
  ExercisedEvent,
  LedgerEvent,
  LedgerTransaction,
  TemplateName,
} from '../../../domain/ledger.ts';
import { templateFqn } from '../../../domain/ledger.ts';
import type { MachineEvent } from '../../../../machines/machine-kit.ts';
import type { ContractModel } from '../../contract/model.ts';
import { lifecycleOf } from '../../contract/model.ts';
import type { LifecycleDefinition } from '../../contract/template.ts';
import { payloadOf } from '../../contract/template.ts';

/**
 * A fact about a lifecycle in an update.
 *
 * - `born`: a contract was created that continues no lifecycle.
 * - `continued`: a contract was replaced by the next contract of the same lifecycle.
 * - `happened`: the contract of a lifecycle was archived.
 *
 * `through` is the contract of another lifecycle whose choice created this contract.
 */
export type Fact =
  | {
      readonly kind: 'born';
      readonly lifecycleKind: string;
      readonly created: CreatedEvent;
      readonly through: ContractId | null;
    }
  | {
      readonly kind: 'continued';
      readonly lifecycleKind: string;
      readonly from: ContractId;
      readonly created: CreatedEvent;
      readonly through: ContractId | null;
      readonly event: MachineEvent;
    }
  | {
      readonly kind: 'happened';
      readonly contractId: ContractId;
      readonly event: MachineEvent;
      /** The choice that archived the contract; `null` if the choice was not read. */
      readonly choice: Done | null;
    };

/** The parties that exercised a choice, and the reason in its argument. */
export interface Done {
  readonly actors: readonly Party[];
  readonly reason: string | null;
}

const sameTemplate = (a: TemplateName, b: TemplateName): boolean =>
  templateFqn(a) === templateFqn(b);

const hasStake = (created: CreatedEvent, readAs: ReadonlySet<Party>): boolean =>
  created.signatories.some((party) => readAs.has(party)) ||
  created.observers.some((party) => readAs.has(party));

/** Returns why a contract cannot begin a lifecycle although its template defines one, or `null`. */
export function defectOfContract(
  model: ContractModel,
  created: CreatedEvent,
  readAs: ReadonlySet<Party>,
): string | null {
  const template = model.template(created.template);
  if (template === null || template.lifecycle === null || !hasStake(created, readAs)) return null;
  const missing = template.missing(payloadOf(created));
  if (missing === undefined) return null;
  return `creates ${created.template.entityName} ${created.contractId} without ${missing}`;
}

/** Returns what is wrong with the lifecycle contracts of a transaction, or `null`. */
export function defectOf(
  model: ContractModel,
  { events }: LedgerTransaction,
  readAs: ReadonlySet<Party>,
): string | null {
  for (const event of events) {
    const defect = event.kind === 'created' ? defectOfContract(model, event, readAs) : null;
    if (defect !== null) return defect;
  }
  return null;
}

const isInside = (event: LedgerEvent, { nodeId, lastDescendantNodeId }: ExercisedEvent): boolean =>
  event.nodeId > nodeId && event.nodeId <= lastDescendantNodeId;

const consumes = (event: LedgerEvent, template: TemplateName): event is ExercisedEvent =>
  event.kind === 'exercised' && event.consuming && sameTemplate(event.template, template);

/**
 * Returns the choice that archived a contract. The ledger shows a postconsuming choice of Daml as a nonconsuming one,
 * whose last step is an `Archive` of the same contract.
 */
function endedBy(event: ExercisedEvent, events: readonly LedgerEvent[]): ExercisedEvent {
  const around = events.find(
    (outer): outer is ExercisedEvent =>
      outer.kind === 'exercised' && outer.contractId === event.contractId && isInside(event, outer),
  );
  return around ?? event;
}

/** Returns the exercise that consumed the predecessor of the created contract. */
function replacedBy(
  { replacement }: LifecycleDefinition,
  created: CreatedEvent,
  events: readonly LedgerEvent[],
): ExercisedEvent | undefined {
  if (replacement === undefined) return undefined;
  const { inside } = replacement;
  if (inside === undefined) {
    return events.find(
      (event): event is ExercisedEvent =>
        consumes(event, created.template) && isInside(created, event),
    );
  }
  const around = events.find(
    (event): event is ExercisedEvent =>
      event.kind === 'exercised' && event.choice === inside && isInside(created, event),
  );
  if (around === undefined) return undefined;
  return events.find(
    (event): event is ExercisedEvent =>
      consumes(event, created.template) && isInside(event, around),
  );
}

/** Returns the contract of another lifecycle whose choice created this one; `null` if there is none. */
function createdThrough(
  model: ContractModel,
  created: CreatedEvent,
  events: readonly LedgerEvent[],
  replaced: ContractId | null,
): ContractId | null {
  const around = events.findLast(
    (event) =>
      event.kind === 'exercised' &&
      isInside(created, event) &&
      event.contractId !== replaced &&
      lifecycleOf(model, event) !== null,
  );
  return around?.contractId ?? null;
}

/** Returns the contracts that were archived in the transaction that created them: no client could have used them. */
function passingIn(events: readonly LedgerEvent[]): ReadonlySet<ContractId> {
  const archived = new Set(
    events.flatMap((event) =>
      event.kind === 'exercised' && event.choice === 'Archive' ? event.contractId : [],
    ),
  );
  return new Set(
    events.flatMap(({ kind, contractId }) =>
      kind === 'created' && archived.has(contractId) ? contractId : [],
    ),
  );
}

/**
 * Returns the facts of one transaction in order. Pure. Skips contracts that are only divulged, in which no reading
 * party has a stake, and contracts that the same transaction archives.
 */
export function factsOf(
  model: ContractModel,
  transaction: LedgerTransaction,
  readAs: ReadonlySet<Party>,
): Fact[] {
  const passing = passingIn(transaction.events);
  const events = transaction.events.filter(({ contractId }) => !passing.has(contractId));
  const facts: Fact[] = [];
  const replaced = new Set<ContractId>();
  for (const event of events) {
    if (event.kind !== 'created' || !hasStake(event, readAs)) continue;
    const lifecycle = lifecycleOf(model, event);
    if (lifecycle === null) continue;
    const { kind } = lifecycle.description;
    const origin = replacedBy(lifecycle, event, events);
    const through = createdThrough(model, event, events, origin?.contractId ?? null);
    if (origin === undefined || lifecycle.replacement === undefined) {
      facts.push({ kind: 'born', lifecycleKind: kind, created: event, through });
    } else {
      const from = origin.contractId;
      replaced.add(from);
      facts.push({
        kind: 'continued',
        lifecycleKind: kind,
        from,
        created: event,
        through,
        event: lifecycle.replacement.event(payloadOf(event)),
      });
    }
  }
  for (const event of events) {
    if (event.kind !== 'exercised' || !event.consuming || replaced.has(event.contractId)) continue;
    const lifecycle = lifecycleOf(model, event);
    if (lifecycle === null) continue;
    const { choice, actingParties, argument } = endedBy(event, events);
    const ending = model.endingBy(lifecycle.description.kind, choice);
    facts.push({
      kind: 'happened',
      contractId: event.contractId,
      event: { type: ending.event },
      choice: { actors: actingParties, reason: model.reasonIn(argument) },
    });
  }
  return facts;
}

/** Returns whether a transaction creates contracts that have no lifecycle, but whose template defines an event. */
export const hasNews = (model: ContractModel, { events }: LedgerTransaction): boolean =>
  events.some(
    (event) => event.kind === 'created' && model.template(event.template)?.news !== undefined,
  );

/**
 * Returns the events about new contracts that have no lifecycle.
 *
 * @param origin the lifecycle for which an operation created the contracts; `null` if another client created them
 */
export const newsOf = (
  model: ContractModel,
  { events }: LedgerTransaction,
  readAs: ReadonlySet<Party>,
  origin: LifecycleId | null,
): NewEvent[] =>
  events.flatMap((event) => {
    if (event.kind !== 'created' || !hasStake(event, readAs)) return [];
    const template = model.template(event.template);
    if (template?.news === undefined) return [];
    const payload = payloadOf(event);
    if (template.missing(payload) !== undefined) return [];
    const { type, parties, data } = template.news(payload, origin);
    const { contractId } = event;
    const told = { ...data, contractId };
    return [{ type, subject: contractId, lifecycleId: null, parties, data: told }];
  });

/** Returns the contract IDs in a batch. They are looked up before the batch is applied. */
export function contractsIn(transactions: readonly LedgerTransaction[]): ContractId[] {
  const found = new Set<ContractId>();
  for (const transaction of transactions) {
    for (const event of transaction.events) {
      found.add(event.contractId);
    }
  }
  return [...found];
}

/** Derives a lifecycle's ID from its first contract, so that a rebuilt projection gives lifecycles the same IDs. */
export const lifecycleIdOf = (kind: string, first: ContractId): LifecycleId =>
  trusted<LifecycleId>(`${kind}-${first.slice(2, 42)}`);
