import { UPDATES_STREAM } from '../../../src/app/ports/streams.ts';
import type { Party } from '../../../src/domain/ids.ts';
import type { JsonRecord } from '../../../src/domain/json.ts';
import type {
  ActiveContract,
  CreatedEvent,
  ExercisedEvent,
  LedgerEvent,
  LedgerTransaction,
  TemplateName,
} from '../../../src/domain/ledger.ts';
import { templateFqn } from '../../../src/domain/ledger.ts';
import { assert } from '../../../src/domain/unreachable.ts';
import { uniqueViolation } from './database-error.ts';
import { byText } from './find.ts';
import { instant } from './instants.ts';
import type { ContractRow, ExerciseRow, TemplateRow } from './rows.ts';
import type { ServerTransaction } from './server.ts';

/* Writes the ledger's transactions as `src/store/engine/projection.ts` does. */

interface Origin {
  readonly offset: bigint;
  readonly effectiveAt: string;
}

/**
 * Returns the rows of a contract: one for its template, if the template was requested, and one for each of its
 * interface views.
 */
export function contractRows(
  created: CreatedEvent,
  { offset, effectiveAt }: Origin,
  readAs: readonly Party[],
): ContractRow[] {
  assert(offset > 0n, 'offset 0 is the ledger begin, never a contract');
  assert(created.signatories.length > 0, 'somebody has signed every contract');
  const hasStake = [...created.signatories, ...created.observers].some((party) =>
    readAs.includes(party),
  );
  const row = (type: TemplateName, packageId: string, payload: JsonRecord): ContractRow => ({
    contractId: created.contractId,
    templateFqn: templateFqn(type),
    packageId,
    payload,
    signatories: created.signatories,
    observers: created.observers,
    witnesses: created.witnesses,
    divulgedOnly: !hasStake,
    createdAt: instant(effectiveAt),
    createdAtOffset: offset,
    createdNodeId: created.nodeId,
    archived: null,
    originId: null,
  });
  const views = created.views.map((view) => row(view.interface, view.packageId, view.value));
  if (created.payload === null) return views;
  return [row(created.template, created.packageId, created.payload), ...views];
}

function exerciseRow(exercised: ExercisedEvent, update: LedgerTransaction): ExerciseRow {
  assert(
    exercised.lastDescendantNodeId >= exercised.nodeId,
    'an exercise ends with or after its own node',
  );
  const { kind: _kind, template, packageId: _packageId, ...rest } = exercised;
  return {
    ...rest,
    offset: update.offset,
    templateFqn: templateFqn(template),
    effectiveAt: instant(update.effectiveAt),
  };
}

async function insertTemplates(
  tx: ServerTransaction,
  events: readonly LedgerEvent[],
): Promise<void> {
  const types = events.flatMap((event): TemplateRow[] => [
    { fqn: templateFqn(event.template), payloadType: 'template' },
    ...(event.kind === 'created'
      ? event.views.map((view) => ({
          fqn: templateFqn(view.interface),
          payloadType: 'interface' as const,
        }))
      : []),
  ]);
  const known = new Map(types.map((type) => [type.fqn, type]));
  for (const [, type] of [...known].toSorted(([a], [b]) => byText(a, b))) {
    await tx.insertIfAbsent(tx.tables.templates, type);
  }
}

/** Records each choice that was exercised, with its template. */
async function learnChoices(
  tx: ServerTransaction,
  told: readonly { readonly event: LedgerEvent }[],
): Promise<void> {
  for (const { event } of told) {
    if (event.kind !== 'exercised') continue;
    const { template, choice } = event;
    await tx.insertIfAbsent(tx.tables.choices, { templateFqn: templateFqn(template), choice });
  }
}

/** Archives a contract and its interface views together. */
async function archive(
  tx: ServerTransaction,
  { contractId }: ExercisedEvent,
  { offset, effectiveAt }: LedgerTransaction,
): Promise<void> {
  const { contracts } = tx.tables;
  for (const row of contracts.find(tx, 'contract', contractId)) {
    if (row.archived !== null) continue;
    await tx.update(contracts, contracts.keyOf(row), (before) =>
      before.archived === null
        ? { ...before, archived: { at: instant(effectiveAt), offset } }
        : null,
    );
  }
}

async function insertUpdate(tx: ServerTransaction, update: LedgerTransaction): Promise<void> {
  assert(update.offset > 0n, 'offset 0 is the ledger begin, never an update');
  const { kind: _kind, events: _events, ...row } = update;
  const written = await tx.insertIfAbsent(tx.tables.updates, {
    ...row,
    effectiveAt: instant(row.effectiveAt),
    recordTime: instant(row.recordTime),
  });
  if (!written) throw uniqueViolation('ledger_update_pkey');
}

/** Adds the ID of the update at a cursor's position. The cursor may be moved before or after this. */
async function nameUpdateOfCursor(
  tx: ServerTransaction,
  { offset, updateId }: LedgerTransaction,
): Promise<void> {
  const { cursors } = tx.tables;
  if (cursors.get(tx, UPDATES_STREAM)?.offset !== offset) return;
  await tx.update(cursors, UPDATES_STREAM, (before) =>
    before.offset === offset ? { ...before, updateId } : null,
  );
}

/**
 * Inserts created contracts and exercised choices, and archives the contracts that consuming choices end. An update
 * that is already stored is not inserted again.
 */
export async function insertUpdates(
  tx: ServerTransaction,
  updates: readonly LedgerTransaction[],
  readAs: readonly Party[],
): Promise<void> {
  const last = updates.at(-1);
  if (last === undefined) return;
  const { contracts, exercises } = tx.tables;
  for (const update of updates) await insertUpdate(tx, update);
  await nameUpdateOfCursor(tx, last);
  const told = updates.flatMap((update) => update.events.map((event) => ({ event, update })));
  await insertTemplates(
    tx,
    told.map(({ event }) => event),
  );
  for (const { event, update } of told) {
    if (event.kind !== 'created') continue;
    for (const row of contractRows(event, update, readAs)) await tx.insertIfAbsent(contracts, row);
  }
  for (const { event, update } of told) {
    if (event.kind !== 'exercised') continue;
    const isNew = await tx.insertIfAbsent(exercises, exerciseRow(event, update));
    if (!isNew) throw uniqueViolation('exercise_pkey');
  }
  await learnChoices(tx, told);
  for (const { event, update } of told) {
    if (event.kind === 'exercised' && event.consuming) await archive(tx, event, update);
  }
}

/** Inserts the contracts of a snapshot. Existing rows do not change. */
export async function insertActiveContracts(
  tx: ServerTransaction,
  active: readonly ActiveContract[],
  readAs: readonly Party[],
): Promise<void> {
  await insertTemplates(
    tx,
    active.map(({ created }) => created),
  );
  for (const { created, createdAtOffset: offset, createdAt: effectiveAt } of active) {
    for (const row of contractRows(created, { offset, effectiveAt }, readAs)) {
      await tx.insertIfAbsent(tx.tables.contracts, row);
    }
  }
}
