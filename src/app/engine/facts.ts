import type { NewEvent } from '../../domain/event.ts';
import type { ContractId, LifecycleId, Party } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import type {
  CreatedEvent,
  ExercisedEvent,
  LedgerEvent,
  LedgerTransaction,
  TemplateName,
} from '../../domain/ledger.ts';
import { templateFqn } from '../../domain/ledger.ts';
import type { MachineEvent } from '../../../machines/machine-kit.ts';
import type { ContractModel } from '../contract/model.ts';
import { lifecycleOf } from '../contract/model.ts';
import type { LifecycleDefinition } from '../contract/template.ts';
import { payloadOf } from '../contract/template.ts';

/**
 * What an update says about lifecycles.
 *
 * - `born`: a contract appeared that continues none.
 * - `continued`: a contract was replaced by the next one of the same lifecycle.
 * - `happened`: something befell the contract of a lifecycle.
 *
 * `through` is the contract of another lifecycle by whose choice it came about.
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
      /** The choice that did it; `null` where it was not read. */
      readonly choice: Done | null;
    };

/** Who exercised a choice, and why, in the words of its argument. */
export interface Done {
  readonly actors: readonly Party[];
  readonly reason: string | null;
}

const sameTemplate = (a: TemplateName, b: TemplateName): boolean =>
  templateFqn(a) === templateFqn(b);

const hasStake = (created: CreatedEvent, readAs: ReadonlySet<Party>): boolean =>
  created.signatories.some((party) => readAs.has(party)) ||
  created.observers.some((party) => readAs.has(party));

/** Why a contract cannot stand for a lifecycle although its template says so, or `null`. */
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

/** What is wrong with a transaction as far as it concerns lifecycles, in words, or `null`. */
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
 * The choice that ended a contract. Where Daml calls a choice postconsuming, the ledger shows it as one that consumes
 * nothing, with an `Archive` of the same contract as its last step.
 */
function endedBy(event: ExercisedEvent, events: readonly LedgerEvent[]): ExercisedEvent {
  const around = events.find(
    (outer): outer is ExercisedEvent =>
      outer.kind === 'exercised' && outer.contractId === event.contractId && isInside(event, outer),
  );
  return around ?? event;
}

/** The exercise that consumed the contract whose place the created one takes. */
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

/** The contract of another lifecycle whose choice created this one; `null` where it was created by itself. */
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

/** Contracts that were archived in the transaction that created them: nobody could have done anything with them. */
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
 * What one transaction says, in the order in which it happened. Pure. A create in which none of the reading
 * parties has a stake is only divulged: it is no lifecycle here. One that passes by begins none either.
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

/** Whether a transaction creates contracts that stand for no lifecycle, and of which something is told. */
export const hasNews = (model: ContractModel, { events }: LedgerTransaction): boolean =>
  events.some(
    (event) => event.kind === 'created' && model.template(event.template)?.news !== undefined,
  );

/**
 * The events of new contracts that stand for no lifecycle.
 *
 * @param origin the lifecycle whose operation made the contracts; `null` where another client made them
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

/** The contract IDs that a batch mentions: what has to be looked up before it is applied. */
export function contractsIn(transactions: readonly LedgerTransaction[]): ContractId[] {
  const found = new Set<ContractId>();
  for (const transaction of transactions) {
    for (const event of transaction.events) {
      found.add(event.contractId);
    }
  }
  return [...found];
}

/**
 * A lifecycle's identity follows from the first contract that stood for it, so a projection built anew
 * gives the same lifecycles the same names.
 */
export const lifecycleIdOf = (kind: string, first: ContractId): LifecycleId =>
  trusted<LifecycleId>(`${kind}-${first.slice(2, 42)}`);
