import type {
  Allocation,
  ContractView,
  LifecycleView,
  RenewalView,
} from '../../../src/app/ports/views.ts';
import type { Tx } from '../../../src/app/ports/transaction.ts';
import type { ContractId, UpdateId } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type { Json, JsonRecord } from '../../../src/domain/json.ts';
import { isJsonRecord, textAt } from '../../../src/domain/json.ts';
import { templateFqn } from '../../../src/domain/ledger.ts';
import { ALLOCATION } from '../../../src/domain/licensing.ts';
import type { Lifecycle } from '../../../src/domain/lifecycle.ts';
import { LIMITS } from '../../../src/domain/limits.ts';
import { STORE_LIMITS } from '../../../src/store/limits.ts';
import { isoToMs } from '../../../src/domain/time.ts';
import { assert } from '../../../src/domain/unreachable.ts';
import { byText, isTemplate } from './find.ts';
import type { ContractRow } from './rows.ts';
import type { Reader } from './table.ts';
import type { Tables } from './tables.ts';
import { contractKey } from './tables.ts';

/* Lifecycles with their payloads, renewals and allocations, joined as in `src/store/engine/settlements.ts`. */

const ALLOCATION_FQN = templateFqn(ALLOCATION);

export const isActive = ({ archived, divulgedOnly }: ContractRow): boolean =>
  archived === null && !divulgedOnly;

export const contractView = ({
  createdNodeId: _createdNodeId,
  witnesses: _witnesses,
  divulgedOnly: _divulgedOnly,
  ...view
}: ContractRow): ContractView => view;

/** Returns the lifecycle's own payload, which is that of the template: a contract may also have interface views. */
export function payloadOf(
  tables: Tables,
  reader: Reader,
  contractId: ContractId,
): JsonRecord | null {
  for (const row of tables.contracts.find(reader, 'contract', contractId)) {
    if (isTemplate(tables, reader, row)) return row.payload;
  }
  return null;
}

const at = (json: Json | undefined, ...path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>(
    (value, key) => (isJsonRecord(value) ? value[key] : undefined),
    json,
  );

/** Returns the active allocations, by any client, that name a renewal request. */
export const allocationsNaming = (tables: Tables, requestId: string): ContractRow[] =>
  tables.contracts
    .find(null, 'type', ALLOCATION_FQN)
    .filter(isActive)
    .filter(
      (row) => at(row.payload, 'allocation', 'settlement', 'settlementRef', 'id') === requestId,
    );

/** Returns the allocations that the user has made for a renewal, the newest first. */
export function allocationsOf(
  tables: Tables,
  renewal: Lifecycle,
  payload: JsonRecord,
): Allocation[] {
  const requestId = textAt(payload, 'requestId') ?? '';
  return allocationsNaming(tables, requestId)
    .filter((row) => at(row.payload, 'allocation', 'transferLeg', 'sender') === renewal.appUser)
    .toSorted(
      (a, b) => Number(b.createdAtOffset - a.createdAtOffset) || b.createdNodeId - a.createdNodeId,
    )
    .slice(0, STORE_LIMITS.allocationsMax)
    .map((row) => ({ contractId: row.contractId, view: row.payload, isActive: true }));
}

function renewalsOf(tables: Tables, license: Lifecycle): RenewalView[] {
  return tables.lifecycles
    .find(null, 'active', 'renewal')
    .filter(
      (renewal) =>
        renewal.provider === license.provider &&
        renewal.appUser === license.appUser &&
        renewal.licenseNum === license.licenseNum &&
        (renewal.originId ?? license.id) === license.id,
    )
    .toSorted((a, b) => byText(closesAtText(b), closesAtText(a)))
    .slice(0, LIMITS.renewalsShownMax)
    .flatMap((lifecycle) => {
      const payload = payloadOf(tables, null, lifecycle.contractId);
      return payload === null
        ? []
        : [
            {
              lifecycle,
              payload,
              allocations: allocationsOf(tables, lifecycle, payload),
              endedBy: null,
            },
          ];
    })
    .toSorted((a, b) => requestedMs(a.payload) - requestedMs(b.payload));
}

const closesAtText = ({ context }: Lifecycle): string => textAt(context, 'settleBefore') ?? '';

const requestedMs = (payload: JsonRecord): number => isoToMs(textAt(payload, 'requestedAt') ?? '');

/** Returns the ledger update that wrote the last line in the history of an ended lifecycle, if it was an update. */
function endedBy(tables: Tables, { id, version, endedAt }: Lifecycle): UpdateId | null {
  if (endedAt === null) return null;
  const [last] = tables.history
    .find(null, 'lifecycle', id)
    .filter(({ entry }) => entry.seq === version && entry.updateId !== null)
    .toSorted((a, b) => b.n - a.n);
  const found = last?.entry.updateId ?? null;
  return found === null ? null : trusted(found);
}

export function lifecycleView(tables: Tables, lifecycle: Lifecycle): LifecycleView {
  const payload = payloadOf(tables, null, lifecycle.contractId);
  assert(payload !== null, `the query store holds the contract of lifecycle ${lifecycle.id}`);
  const { kind } = lifecycle;
  return {
    lifecycle,
    payload,
    renewals: kind === 'license' ? renewalsOf(tables, lifecycle) : [],
    allocations: kind === 'renewal' ? allocationsOf(tables, lifecycle, payload) : [],
    endedBy: endedBy(tables, lifecycle),
  };
}

/** Returns both sides of one settlement. */
export function findSettlement(
  tables: Tables,
  reader: Reader,
  query: Parameters<Tx['settlement']>[0],
): Awaited<ReturnType<Tx['settlement']>> {
  const row = tables.contracts.get(reader, contractKey(query.allocation, ALLOCATION_FQN));
  const allocation =
    row === undefined
      ? null
      : { contractId: query.allocation, view: row.payload, isActive: isActive(row) };
  return { renewal: payloadOf(tables, reader, query.renewal), allocation };
}
