import { canonicalJson } from '../../domain/json.ts';
import type { Json } from '../../domain/json.ts';
import type { CreatedEvent, ExercisedEvent, LedgerTransaction } from '../../domain/ledger.ts';
import { templateFqn } from '../../domain/ledger.ts';
import { isoToMs } from '../../domain/time.ts';
import type { ContractRow, Evidence, ExerciseRow, LedgerEvidence, UpdateRow } from './evidence.ts';
import type { Violation } from './violation.ts';

/*
 * Compares the rows of the query store with the ledger updates from which they were made, in both directions. The
 * expected rows are computed here, independently of the code that fills the store.
 */

const REBUILD =
  'Another program has changed rows of the query store, or the projector has applied an update incorrectly. Keep a copy of the database for analysis, then run `tenure projection rebuild`.';

const differs = (what: string, subjects: Violation['subjects']): Violation => ({
  invariant: 'I6',
  what,
  subjects,
  todo: REBUILD,
});

const sameSet = (a: readonly string[], b: readonly string[]): boolean =>
  canonicalJson([...new Set(a)].sort()) === canonicalJson([...new Set(b)].sort());

const sameJson = (a: Json, b: Json): boolean => canonicalJson(a) === canonicalJson(b);

const keyOfContract = (contractId: string, fqn: string): string => `${contractId} ${fqn}`;
const keyOfNode = (offset: bigint, nodeId: number): string => `${offset}:${nodeId}`;

/** Returns the rows that a created contract should have: one for its template, one for each view. */
const rowsOf = (created: CreatedEvent) => [
  ...(created.payload === null
    ? []
    : [{ fqn: templateFqn(created.template), payload: created.payload }]),
  ...created.views.map((view) => ({ fqn: templateFqn(view.interface), payload: view.value })),
];

/** Returns the names of the columns in which a row differs from the ledger. */
function differencesOfContract(
  row: ContractRow,
  created: CreatedEvent,
  payload: Json,
  readAs: readonly string[],
): string[] {
  const hasStake = [...created.signatories, ...created.observers].some((party) =>
    readAs.includes(party),
  );
  const checks: [string, boolean][] = [
    ['payload', sameJson(row.payload, payload)],
    ['signatories', sameSet(row.signatories, created.signatories)],
    ['observers', sameSet(row.observers, created.observers)],
    ['divulged_only', row.divulgedOnly === !hasStake],
  ];
  return checks.flatMap(([name, isSame]) => (isSame ? [] : [name]));
}

interface Sides {
  readonly evidence: Evidence;
  readonly ledger: LedgerEvidence;
  readonly contracts: ReadonlyMap<string, ContractRow>;
  readonly byContract: ReadonlyMap<string, readonly ContractRow[]>;
  readonly exercises: ReadonlyMap<string, ExerciseRow>;
}

function* wrongCreates(
  { evidence, contracts }: Sides,
  created: CreatedEvent,
  at: { readonly offset: bigint; readonly createdAt: string; readonly isExact: boolean },
): Generator<Violation> {
  for (const { fqn, payload } of rowsOf(created)) {
    const subjects = { contractId: created.contractId, offset: at.offset };
    const row = contracts.get(keyOfContract(created.contractId, fqn));
    if (row === undefined) {
      yield differs(
        `the ledger created ${fqn} ${created.contractId} at offset ${at.offset}, but the query store has no row for this contract`,
        subjects,
      );
      continue;
    }
    // A contract that moves here from another synchronizer is reported again, like a creation.
    if (row.createdAtOffset < at.offset) continue;
    const wrong = differencesOfContract(row, created, payload, evidence.readAs);
    if (row.createdAtOffset !== at.offset) wrong.push('created_at_offset');
    if (at.isExact && row.createdNodeId !== created.nodeId) wrong.push('created_node_id');
    if (isoToMs(row.createdAt) !== isoToMs(at.createdAt)) wrong.push('created_effective_at');
    if (wrong.length === 0) continue;
    yield differs(
      `the row of ${fqn} ${created.contractId} differs from the contract that the ledger created at offset ${at.offset}, in ${wrong.join(', ')}`,
      subjects,
    );
  }
}

/** Checks that a consuming exercise has archived the rows of its contract, if the store has them. */
function* wrongArchives(
  { byContract }: Sides,
  exercised: ExercisedEvent,
  { offset, effectiveAt }: LedgerTransaction,
): Generator<Violation> {
  const subjects = { contractId: exercised.contractId, offset };
  for (const row of byContract.get(exercised.contractId) ?? []) {
    const at = row.archived;
    if (at === null) {
      yield differs(
        `${row.templateFqn} ${row.contractId} was archived by ${exercised.choice} at offset ${offset}, but is active in the query store`,
        subjects,
      );
    } else if (
      at.offset !== offset ||
      at.nodeId !== exercised.nodeId ||
      isoToMs(at.at) !== isoToMs(effectiveAt)
    ) {
      yield differs(
        `${row.templateFqn} ${row.contractId} was archived at offset ${offset}, node ${exercised.nodeId}; the query store has offset ${at.offset}, node ${at.nodeId}`,
        subjects,
      );
    }
  }
}

function* wrongExercise(
  { exercises }: Sides,
  event: ExercisedEvent,
  { offset }: LedgerTransaction,
): Generator<Violation> {
  const subjects = { contractId: event.contractId, offset };
  const row = exercises.get(keyOfNode(offset, event.nodeId));
  const what = `${event.choice} on ${event.contractId} at offset ${offset}`;
  if (row === undefined) {
    yield differs(`the query store has no row for ${what}`, subjects);
    return;
  }
  const checks: [string, boolean][] = [
    ['contract_id', row.contractId === event.contractId],
    ['template_fqn', row.templateFqn === templateFqn(event.template)],
    ['choice', row.choice === event.choice],
    ['argument', sameJson(row.argument, event.argument)],
    ['result', sameJson(row.result, event.result)],
    ['consuming', row.consuming === event.consuming],
    ['last_descendant_node_id', row.lastDescendantNodeId === event.lastDescendantNodeId],
    ['controllers', sameSet(row.controllers, event.actingParties)],
  ];
  const wrong = checks.flatMap(([name, isSame]) => (isSame ? [] : [name]));
  if (wrong.length > 0) {
    yield differs(`the row of ${what} differs from the ledger in ${wrong.join(', ')}`, subjects);
  }
}

/** Compares the columns of an update's row with the update. Whether the row exists is judged by I7. */
function* wrongUpdate(
  row: UpdateRow | undefined,
  transaction: LedgerTransaction,
): Generator<Violation> {
  const { updateId, offset } = transaction;
  if (row?.updateId !== updateId) return;
  const checks: [string, boolean][] = [
    ['record_time', isoToMs(row.recordTime) === isoToMs(transaction.recordTime)],
    ['effective_at', isoToMs(row.effectiveAt) === isoToMs(transaction.effectiveAt)],
    ['workflow_id', row.workflowId === transaction.workflowId],
    ['command_id', row.commandId === transaction.commandId],
  ];
  const wrong = checks.flatMap(([name, isSame]) => (isSame ? [] : [name]));
  if (wrong.length === 0) return;
  yield differs(
    `the row of update ${updateId} at offset ${offset} differs from the ledger in ${wrong.join(', ')}`,
    { updateId, offset },
  );
}

/** Finds contract rows within the checked range of offsets that no ledger update accounts for. */
function* rowsWithoutEvent({ evidence, ledger, byContract }: Sides): Generator<Violation> {
  const created = new Set<string>();
  const exercised = new Set<string>();
  const archived = new Set<string>();
  for (const { offset, events } of ledger.transactions) {
    for (const event of events) {
      if (event.kind === 'created') {
        for (const { fqn } of rowsOf(event)) created.add(keyOfContract(event.contractId, fqn));
      } else {
        exercised.add(keyOfNode(offset, event.nodeId));
        if (event.consuming) archived.add(`${event.contractId} ${offset}`);
      }
    }
  }
  const isInside = (offset: bigint): boolean => offset > ledger.after && offset <= ledger.upTo;
  for (const rows of byContract.values()) {
    for (const row of rows) {
      const { contractId, templateFqn: fqn, createdAtOffset: offset } = row;
      if (isInside(offset) && !created.has(keyOfContract(contractId, fqn))) {
        yield differs(
          `the query store has ${fqn} ${contractId} since offset ${offset}, but the ledger created no such contract at this offset`,
          { contractId, offset },
        );
      }
      const end = row.archived?.offset;
      if (end !== undefined && isInside(end) && !archived.has(`${contractId} ${end}`)) {
        yield differs(
          `the query store has ${fqn} ${contractId} archived at offset ${end}, but the ledger archived no such contract at this offset`,
          { contractId, offset: end },
        );
      }
    }
  }
  for (const { offset, nodeId, choice, contractId } of evidence.exercises) {
    if (!isInside(offset) || exercised.has(keyOfNode(offset, nodeId))) continue;
    yield differs(
      `the query store has ${choice} on ${contractId} at offset ${offset}, but the ledger exercised no choice at that node`,
      { contractId, offset },
    );
  }
}

/** Checks that the contracts that are active on the participant are also active in the store. */
function* wrongActives(sides: Sides): Generator<Violation> {
  for (const { created, createdAtOffset, createdAt } of sides.ledger.active) {
    yield* wrongCreates(sides, created, { offset: createdAtOffset, createdAt, isExact: false });
    for (const { fqn } of rowsOf(created)) {
      const row = sides.contracts.get(keyOfContract(created.contractId, fqn));
      const end = row?.archived?.offset;
      if (end === undefined || end > sides.ledger.upTo) continue;
      yield differs(
        `the query store has ${fqn} ${created.contractId} archived at offset ${end}, but the contract is active on the ledger at offset ${sides.ledger.upTo}`,
        { contractId: created.contractId, offset: end },
      );
    }
  }
}

/** Finds violations of I6: rows of contracts and exercises that differ from the ledger's updates. */
export function wrongRows(evidence: Evidence): Violation[] {
  const { ledger } = evidence;
  if (ledger === null) return [];
  const sides: Sides = {
    evidence,
    ledger,
    contracts: new Map(
      evidence.contracts.map((row) => [keyOfContract(row.contractId, row.templateFqn), row]),
    ),
    byContract: Map.groupBy(evidence.contracts, ({ contractId }) => contractId),
    exercises: new Map(evidence.exercises.map((row) => [keyOfNode(row.offset, row.nodeId), row])),
  };
  const found: Violation[] = [];
  const updates = new Map(evidence.updates.map((row) => [row.offset, row]));
  for (const transaction of ledger.transactions) {
    found.push(...wrongUpdate(updates.get(transaction.offset), transaction));
    const at = { offset: transaction.offset, createdAt: transaction.effectiveAt, isExact: true };
    for (const event of transaction.events) {
      if (event.kind === 'created') {
        found.push(...wrongCreates(sides, event, at));
        continue;
      }
      found.push(...wrongExercise(sides, event, transaction));
      if (event.consuming) found.push(...wrongArchives(sides, event, transaction));
    }
  }
  found.push(...rowsWithoutEvent(sides), ...wrongActives(sides));
  return found;
}
