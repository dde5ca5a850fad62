import type { ContractModel } from '../../app/contract/model.ts';
import { GONE, lifecycleOf } from '../../app/contract/model.ts';
import type { ContractId } from '../../domain/ids.ts';
import type { CreatedEvent, ExercisedEvent, LedgerTransaction } from '../../domain/ledger.ts';
import { templateFqn } from '../../domain/ledger.ts';
import type { Lifecycle, LifecycleKind } from '../../domain/lifecycle.ts';
import { isoToMs } from '../../domain/time.ts';
import type { ContractRow, Evidence, LifecycleEvidence } from './evidence.ts';
import type { Violation } from './violation.ts';

/*
 * Computes the lifecycles a second time from the updates, without the machines: which lifecycles begin, which continue
 * with which contract, and which end in which state.
 */

const REBUILD =
  'A stored lifecycle differs from the ledger. Keep a copy of the database for analysis, then run `tenure projection rebuild`.';

const differs = (what: string, subjects: Violation['subjects']): Violation => ({
  invariant: 'I6',
  what,
  subjects,
  todo: REBUILD,
});

type Exercises = readonly ExercisedEvent[];

const covers = ({ nodeId, lastDescendantNodeId }: ExercisedEvent, node: number): boolean =>
  node >= nodeId && node <= lastDescendantNodeId;

const span = ({ nodeId, lastDescendantNodeId }: ExercisedEvent): number =>
  lastDescendantNodeId - nodeId;

/**
 * Returns the contract that a created contract replaces. This is the contract of the same template that was consumed in
 * the smallest exercise which contains both events.
 */
function predecessorOf(
  model: ContractModel,
  created: CreatedEvent,
  exercises: Exercises,
): ContractId | null {
  const fqn = templateFqn(created.template);
  if (lifecycleOf(model, created)?.replacement === undefined) return null;
  const consumed = exercises.filter(
    ({ consuming, template }) => consuming && templateFqn(template) === fqn,
  );
  const around = exercises
    .filter((exercise) => covers(exercise, created.nodeId))
    .toSorted((a, b) => span(a) - span(b));
  for (const exercise of around) {
    const inside = consumed.find(({ nodeId }) => covers(exercise, nodeId));
    if (inside !== undefined) return inside.contractId;
  }
  return null;
}

const bornAs = (kind: LifecycleKind, contractId: ContractId): string =>
  `${kind}-${contractId.slice(2, 42)}`;

interface Known {
  readonly evidence: Evidence;
  readonly lifecycles: ReadonlyMap<string, Lifecycle>;
  readonly contracts: ReadonlyMap<string, readonly ContractRow[]>;
}

/** Whether the contract existed before: one that moves here from another synchronizer is reported as created again. */
const isRepeated = ({ contracts }: Known, contractId: ContractId, offset: bigint): boolean =>
  contracts.get(contractId)?.some(({ createdAtOffset }) => createdAtOffset < offset) ?? false;

/** Whether a contract is archived in the transaction that creates it; such a contract has no lifecycle. */
const isPassing = (contract: ContractId, exercises: Exercises): boolean =>
  exercises.some(({ contractId, choice }) => contractId === contract && choice === 'Archive');

function* wrongSuccessions(known: Known, transaction: LedgerTransaction): Generator<Violation> {
  const { evidence } = known;
  const { events, offset } = transaction;
  const exercises = events.filter((event) => event.kind === 'exercised');
  for (const event of events) {
    if (event.kind !== 'created' || isPassing(event.contractId, exercises)) continue;
    const kind = lifecycleOf(evidence.model, event)?.description.kind;
    const hasStake = [...event.signatories, ...event.observers].some((party) =>
      evidence.readAs.includes(party),
    );
    if (kind === undefined || !hasStake || isRepeated(known, event.contractId, offset)) continue;
    const subjects = { contractId: event.contractId, offset };
    const actual = evidence.lineage.get(event.contractId);
    if (actual === undefined) {
      yield differs(
        `${kind} contract ${event.contractId}, created at offset ${offset}, belongs to no lifecycle in the query store`,
        subjects,
      );
      continue;
    }
    const before = predecessorOf(evidence.model, event, exercises);
    const expected =
      (before === null ? undefined : evidence.lineage.get(before)) ??
      bornAs(kind, event.contractId);
    if (actual === expected) continue;
    yield differs(
      `contract ${event.contractId}, created at offset ${offset}, belongs to lifecycle ${actual} in the query store, but to ${expected} on the ledger`,
      { ...subjects, lifecycleId: actual },
    );
  }
}

/**
 * Returns the choice that consumed a contract. A postconsuming choice appears as non-consuming, and ends with an
 * `Archive` of its own contract.
 */
const choiceBehind = (
  { contractId, nodeId, choice }: ExercisedEvent,
  exercises: Exercises,
): string =>
  exercises.find((outer) => outer.contractId === contractId && covers(outer, nodeId))?.choice ??
  choice;

function* wrongEndings(
  { evidence, lifecycles }: Known,
  transaction: LedgerTransaction,
): Generator<Violation> {
  const { events, offset, effectiveAt } = transaction;
  const exercises = events.filter((event) => event.kind === 'exercised');
  const replaced = new Set(
    events.flatMap((event) =>
      event.kind === 'created' ? (predecessorOf(evidence.model, event, exercises) ?? []) : [],
    ),
  );
  for (const exercise of exercises) {
    const { consuming, contractId } = exercise;
    const choice = choiceBehind(exercise, exercises);
    const kind = lifecycleOf(evidence.model, exercise)?.description.kind;
    if (!consuming || kind === undefined || replaced.has(contractId)) continue;
    const lifecycle = lifecycles.get(evidence.lineage.get(contractId) ?? '');
    if (lifecycle === undefined || lifecycle.state === 'gone') continue;
    const ending = evidence.model.endingBy(kind, choice);
    const { state } = ending;
    const isEnded =
      lifecycle.endedAt !== null &&
      lifecycle.contractId === contractId &&
      // Version 0.2.0 recorded unknown endings as if they were known: see docs/decisions/lifecycles.md.
      (lifecycle.state === state || ending === GONE) &&
      isoToMs(lifecycle.endedAt) === isoToMs(effectiveAt);
    if (isEnded) continue;
    yield differs(
      `lifecycle ${lifecycle.id} ended as ${state} at ${effectiveAt} by ${choice} on ${contractId} at offset ${offset}; the query store has state ${lifecycle.state}, ended ${lifecycle.endedAt ?? 'never'}, contract ${lifecycle.contractId}`,
      { lifecycleId: lifecycle.id, contractId, offset },
    );
  }
}

/** Returns the columns in which a lifecycle's row differs from its current contract. */
function differingColumns(
  model: ContractModel,
  lifecycle: Lifecycle,
  contract: ContractRow,
): string[] {
  const { provider, appUser, columns } = model.lifecycle(lifecycle.kind).read(contract.payload);
  const expectedNumber = columns?.licenseNum ?? null;
  const sameTime = (a: string | null, b: string | null): boolean =>
    a === null || b === null ? a === b : isoToMs(a) === isoToMs(b);
  const checks: [string, boolean][] = [
    ['provider', provider === lifecycle.provider],
    ['app_user', appUser === lifecycle.appUser],
    ['license_num', expectedNumber === lifecycle.licenseNum],
    ['expires_at', sameTime(columns?.expiresAt ?? null, lifecycle.expiresAt)],
  ];
  return checks.flatMap(([name, isSame]) => (isSame ? [] : [name]));
}

/** Compares a lifecycle with its current contract. Both are in the store, so they must agree at any moment. */
function* wrongContract(
  { lineage, model }: Evidence,
  { lifecycle, history, fromBirth }: LifecycleEvidence,
  contracts: ReadonlyMap<string, readonly ContractRow[]>,
): Generator<Violation> {
  const { id, kind, contractId, endedAt, state } = lifecycle;
  const subjects = { lifecycleId: id, contractId };
  const contract = contracts
    .get(contractId)
    ?.find(({ templateFqn: fqn }) => fqn === templateFqn(model.templateOf(kind)));
  if (contract === undefined) {
    yield differs(
      `lifecycle ${id} names contract ${contractId}, but the query store does not have this contract`,
      subjects,
    );
    return;
  }
  const { archived } = contract;
  if (archived !== null && endedAt === null) {
    yield differs(
      `lifecycle ${id} is ${state}, but its contract ${contractId} was archived at offset ${archived.offset}`,
      subjects,
    );
  }
  const wrong = differingColumns(model, lifecycle, contract);
  if (wrong.length > 0) {
    yield differs(
      `lifecycle ${id} differs from its contract ${contractId} in ${wrong.join(', ')}`,
      subjects,
    );
  }
  const lead = lineage.get(contractId);
  if (lead !== id) {
    yield differs(
      `contract ${contractId} of lifecycle ${id} belongs to ${lead ?? 'no lifecycle'} in the query store`,
      subjects,
    );
  }
  const birth = fromBirth ? history[0]?.contractId : undefined;
  if (birth == null || bornAs(kind, birth as ContractId) === id) return;
  yield differs(
    `lifecycle ${id} began with contract ${birth}, but this contract requires another lifecycle ID`,
    subjects,
  );
}

/** Finds violations of I6: lifecycles that differ from what the updates imply. */
export function wrongLifecycles(evidence: Evidence): Violation[] {
  const lifecycles = new Map(
    evidence.lifecycles.map(({ lifecycle }) => [lifecycle.id as string, lifecycle]),
  );
  const contracts = Map.groupBy(evidence.contracts, ({ contractId }) => contractId as string);
  const known: Known = { evidence, lifecycles, contracts };
  return [
    ...(evidence.ledger?.transactions ?? []).flatMap((transaction) => [
      ...wrongSuccessions(known, transaction),
      ...wrongEndings(known, transaction),
    ]),
    // A lifecycle that is included only because an update names it comes without its contract.
    ...evidence.lifecycles
      .filter(({ toNow }) => toNow)
      .flatMap((entry) => [...wrongContract(evidence, entry, contracts)]),
  ];
}
