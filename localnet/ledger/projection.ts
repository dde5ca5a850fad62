import { stakeholdersOf } from './contract.ts';
import type { EventFormat, Selection } from './event-format.ts';
import type { CreatedEvent, ExercisedEvent, LedgerTransaction } from './update.ts';

/**
 * Which events of a transaction are shown:
 *
 * - `acsDelta`: to stakeholders, the creations and archivals of contracts, without contracts that the transaction both
 *   creates and archives.
 * - `ledgerEffects`: to all witnesses, creations and exercises.
 */
export type TransactionShape = 'acsDelta' | 'ledgerEffects';

/** An event as one reader sees it. `selection.witnesses` contains only the reader's parties. */
export type ProjectedEvent =
  | {
      readonly kind: 'created';
      readonly event: CreatedEvent;
      readonly selection: Selection;
      readonly acsDelta: boolean;
    }
  | {
      readonly kind: 'exercised';
      readonly event: ExercisedEvent;
      readonly selection: Selection;
      readonly acsDelta: boolean;
    }
  | { readonly kind: 'archived'; readonly event: ExercisedEvent; readonly selection: Selection };

/** A reader: an event format, and the parties of the participant that answers. */
export interface Reader {
  readonly format: EventFormat;
  /** Parties of the participant that answers. The participant knows only events that one of its parties has seen. */
  readonly hosted: ReadonlySet<string>;
}

/** Returns the events of a transaction that a reader may see, in order of execution; empty if there are none. */
export function projectEvents(
  transaction: LedgerTransaction,
  shape: TransactionShape,
  reader: Reader,
): readonly ProjectedEvent[] {
  const project = shape === 'acsDelta' ? projectDelta : projectEffect;
  const projected: ProjectedEvent[] = [];
  for (const event of transaction.events) {
    if (!event.witnesses.some((party) => reader.hosted.has(party))) continue;
    const shown = project(event, reader);
    if (shown !== undefined) projected.push(shown);
  }
  return projected;
}

function projectDelta(
  event: CreatedEvent | ExercisedEvent,
  { format, hosted }: Reader,
): ProjectedEvent | undefined {
  if (event.isTransient || (event.kind === 'exercised' && !event.consuming)) return undefined;
  const stakeholders = stakeholdersOf(event.contract);
  if (!stakeholders.some((party) => hosted.has(party))) return undefined;
  const selection = format.select(event.contract, stakeholders, hosted);
  if (selection === undefined) return undefined;
  return event.kind === 'created'
    ? { kind: 'created', event, selection, acsDelta: true }
    : { kind: 'archived', event, selection };
}

function projectEffect(
  event: CreatedEvent | ExercisedEvent,
  { format, hosted }: Reader,
): ProjectedEvent | undefined {
  const selection = format.select(event.contract, event.witnesses, hosted);
  if (selection === undefined) return undefined;
  const acsDelta =
    !event.isTransient &&
    (event.kind === 'created' || event.consuming) &&
    format.asksForOneOf(stakeholdersOf(event.contract), hosted);
  return event.kind === 'created'
    ? { kind: 'created', event, selection, acsDelta }
    : { kind: 'exercised', event, selection, acsDelta };
}

/**
 * Returns whether a reader acts for a submitter. This is only possible at the participant to which the submitter
 * submitted.
 */
function isOfSubmitter(
  { submitter }: LedgerTransaction,
  participant: LedgerTransaction['submitter']['participant'],
  { format, hosted }: Reader,
): boolean {
  return submitter.participant === participant && format.asksForOneOf(submitter.actAs, hosted);
}

/**
 * Returns the command ID if the reader may see it: the reader must act for a submitter, at the participant to which the
 * submitter submitted.
 */
export const visibleCommandId = (
  transaction: LedgerTransaction,
  participant: LedgerTransaction['submitter']['participant'],
  reader: Reader,
): string =>
  isOfSubmitter(transaction, participant, reader) ? transaction.submitter.commandId : '';

/**
 * Returns the traffic cost if the reader may see it. It is visible to the readers to whom the command ID is visible.
 */
export const visibleCost = (
  transaction: LedgerTransaction,
  participant: LedgerTransaction['submitter']['participant'],
  reader: Reader,
): bigint | undefined =>
  isOfSubmitter(transaction, participant, reader) ? transaction.paidTrafficCost : undefined;
