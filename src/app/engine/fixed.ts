import { randomUUID } from 'node:crypto';
import type { Operation } from '../../domain/change.ts';
import { isContractId } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import { textAt } from '../../domain/json.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import { fail } from '../../domain/problems.ts';
import { allocationMismatch } from '../../domain/renewal.ts';
import { isoAfter } from '../../domain/time.ts';
import { assert } from '../../domain/unreachable.ts';
import { isOpenRenewal } from './allowed.ts';
import type { ChangeRequest } from './request-change.ts';
import type { Tx } from '../ports/transaction.ts';
import type { WorkingSet } from './working-set.ts';

/** A change that is about to be recorded, in its locked lane. */
export interface Recording {
  readonly tx: Tx;
  readonly ws: WorkingSet;
  readonly request: ChangeRequest;
  readonly lifecycle: Lifecycle | null;
  /** The licence through which the caller addresses a renewal. */
  readonly within: Lifecycle | null;
  /** Ledger time that is certainly past. */
  readonly certainMs: number;
  /** A time that the ledger has certainly reached. */
  readonly pastMs: number;
}

/**
 * Deadlines from a time that the ledger has certainly reached: it refuses a request from its future. A caller that
 * speaks the ledger's words has chosen them itself.
 */
function renewalParts({ request: { body }, pastMs }: Recording): JsonRecord {
  const after = (field: string): string => isoAfter(pastMs, BigInt(textAt(body, field) ?? '0'));
  return {
    requestId: textAt(body, 'requestId') ?? randomUUID(),
    requestedAt: textAt(body, 'requestedAt') ?? isoAfter(pastMs),
    prepareUntil: textAt(body, 'prepareUntil') ?? after('prepareUntilMicros'),
    settleBefore: textAt(body, 'settleBefore') ?? after('settleBeforeMicros'),
  };
}

/** Whose licence it is, in the words of the contract: a comment outlives the licence and its lifecycle. */
function commentParts({ lifecycle, pastMs }: Recording): JsonRecord {
  assert(lifecycle !== null, 'a comment is on a licence');
  return {
    provider: lifecycle.provider,
    user: lifecycle.appUser,
    licenseNum: String(lifecycle.licenseNum ?? 0n),
    createdAt: isoAfter(pastMs),
  };
}

async function completionParts(recording: Recording): Promise<JsonRecord> {
  const { lifecycle, within } = recording;
  assert(lifecycle !== null, 'a completion is a step of a renewal');
  // Its machine refuses it, in better words.
  if (lifecycle.endedAt !== null) return within === null ? {} : { licenseId: within.id };
  const license = licenseOf(recording, lifecycle);
  // So it does once the window has closed; but the clock of whoever judges it at its turn may be behind ours.
  if (isOpenRenewal(lifecycle, recording.certainMs)) await checkAllocation(recording, lifecycle);
  return { licenseId: license.id };
}

/** The licence that the caller names, which must be the renewal's; else the one of its number that is active. */
function licenseOf({ ws, within }: Recording, renewal: Lifecycle): Lifecycle {
  if (within === null) {
    const active = ws
      .lifecyclesIn(renewal.lane)
      .filter(({ kind, endedAt }) => kind === 'license' && endedAt === null)
      .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
    return active[0] ?? fail('CONTRACT_GONE', 'the licence that it extends is no longer active');
  }
  const isSame =
    within.licenseNum === renewal.licenseNum &&
    within.appUser === renewal.appUser &&
    within.provider === renewal.provider;
  if (!isSame) {
    const message = `renewal request ${renewal.contractId} is not of licence ${within.contractId}`;
    return fail('CONTRACT_GONE', message, { extra: { field: 'renewalRequestContractId' } });
  }
  if (within.endedAt === null) return within;
  return fail('CONTRACT_GONE', `License ${within.contractId} is no longer active`);
}

/** The ledger compares at the very end of the settlement; a caller is told before anything is sent. */
async function checkAllocation({ tx, request }: Recording, renewal: Lifecycle): Promise<void> {
  const id = textAt(request.body, 'allocationContractId') ?? '';
  const extra = { field: 'allocationContractId' };
  const known = isContractId(id)
    ? await tx.settlement({ renewal: renewal.contractId, allocation: id })
    : null;
  if (known?.allocation == null || !known.allocation.isActive) {
    const why = known?.allocation == null ? 'is not known' : 'is no longer active';
    return fail('ALLOCATION_NOT_FOUND', `allocation ${id} ${why}`, { extra });
  }
  const differs = allocationMismatch(known.renewal ?? {}, known.allocation.view);
  if (differs.length === 0) return undefined;
  const message = `allocation ${id} is not what the renewal asked for: ${differs.join(', ')} differ`;
  return fail('ALLOCATION_MISMATCH', message, { extra: { ...extra, differs } });
}

type Fix = (recording: Recording) => JsonRecord | Promise<JsonRecord>;

const FIXES: Readonly<Partial<Record<Operation, Fix>>> = {
  'renew-license': renewalParts,
  'complete-renewal': completionParts,
  'comment-license': commentParts,
};

/**
 * What is chosen once for a change, so that all its attempts carry the same: ids and times that the caller does not
 * give, and what its words mean at this moment.
 *
 * @throws ProblemError when it can be seen already that the ledger could only refuse it
 */
export const fixedParts = async (recording: Recording): Promise<JsonRecord> =>
  (await FIXES[recording.request.operation]?.(recording)) ?? {};
