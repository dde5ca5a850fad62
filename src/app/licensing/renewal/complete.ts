import type { ContractId, LifecycleId } from '../../../domain/ids.ts';
import { isContractId } from '../../../domain/ids.ts';
import type { Json, JsonRecord } from '../../../domain/json.ts';
import { textAt } from '../../../domain/json.ts';
import { LICENSE_RENEWAL_REQUEST } from '../../../domain/licensing.ts';
import type { Lifecycle } from '../../../domain/lifecycle.ts';
import { fail } from '../../../domain/problems.ts';
import { allocationMismatch } from '../../../domain/renewal.ts';
import { assert } from '../../../domain/unreachable.ts';
import { license } from '../../../../machines/license.machine.ts';
import { isOpenRenewal, renewal } from '../../../../machines/renewal.machine.ts';
import { CONTRACT_ID, record } from '../../contract/lf.ts';
import type { Attempt, Meaning, Recording } from '../../contract/operation.ts';
import { defineOperation } from '../../contract/operation.ts';
import { checkExtraArgs, invalid, recordWith, text } from '../arguments.ts';
import { License } from '../license/template.ts';
import { COMPLETE_RENEWAL, EXTRA_ARGS, NO_METADATA, identity, withNote } from '../values.ts';

interface Body {
  readonly allocationContractId: ContractId;
}

interface Fixed {
  /** Absent if the renewal has already ended and the caller named no licence. */
  readonly licenseId?: LifecycleId;
}

interface Facts {
  readonly license: ContractId;
  readonly context: JsonRecord;
}

async function fix(recording: Recording<Body>): Promise<Fixed> {
  const { lifecycle, through, certainMs } = recording;
  // The machine will refuse the operation with a better message.
  if (lifecycle.endedAt !== null) return through === null ? {} : { licenseId: through.id };
  const extended = await licenseOf(recording);
  // The machine also refuses the operation once the window has closed. But another process may judge it, whose clock
  // may be behind ours.
  if (isOpenRenewal(lifecycle, certainMs)) await checkAllocation(recording);
  return { licenseId: extended.id };
}

const isAlike = (a: Lifecycle, b: Lifecycle): boolean =>
  a.licenseNum === b.licenseNum && a.appUser === b.appUser && a.provider === b.provider;

/** Refuses to complete a renewal if neither the ledger nor the caller names its licence, so that no money moves. */
async function unnamed({ tx, lifecycle }: Recording<Body>): Promise<never> {
  const message = `the ledger does not show which licence № ${lifecycle.licenseNum} renewal request ${lifecycle.contractId} extends: complete it on the right licence`;
  return fail('LICENSE_AMBIGUOUS', message, {
    extra: { licenseIds: [...(await tx.alike(license.kind, lifecycle))] },
  });
}

/**
 * Returns the licence for which the renewal was requested. The renewal's contract names a licence only by number, and
 * numbers restart with each install. If the renewal's origin is unknown, the caller must name a licence that has the
 * renewal's number and parties.
 */
async function licenseOf(recording: Recording<Body>): Promise<Lifecycle> {
  const { tx, lifecycle, through } = recording;
  const origin = lifecycle.originId ?? (await tx.begunThrough(lifecycle.id));
  if (origin === null && through === null) return unnamed(recording);
  const isOwn =
    through === null || (origin === null ? isAlike(through, lifecycle) : through.id === origin);
  if (!isOwn) {
    const message = `renewal request ${lifecycle.contractId} does not belong to licence ${through.contractId}`;
    return fail('LICENSE_MISMATCH', message, {
      extra: { field: 'renewalRequestContractId', licenseLifecycleId: origin },
    });
  }
  const extended = through ?? (origin === null ? null : await tx.findLifecycle(origin));
  if (extended !== null && extended.endedAt === null) return extended;
  const name = extended?.contractId ?? origin;
  return fail('CONTRACT_GONE', `License ${name} is no longer active`);
}

/**
 * Compares the allocation with the renewal before anything is sent; the ledger compares them only at the end of the
 * settlement.
 */
async function checkAllocation({ tx, body, lifecycle }: Recording<Body>): Promise<void> {
  const id = body.allocationContractId;
  const extra = { field: 'allocationContractId' };
  const known = isContractId(id)
    ? await tx.settlement({ renewal: lifecycle.contractId, allocation: id })
    : null;
  if (known?.allocation == null || !known.allocation.isActive) {
    const why = known?.allocation == null ? 'is not known' : 'is no longer active';
    return fail('ALLOCATION_NOT_FOUND', `allocation ${id} ${why}`, { extra });
  }
  const differs = allocationMismatch(known.renewal ?? {}, known.allocation.view);
  if (differs.length === 0) return undefined;
  const message = `allocation ${id} does not match the renewal request: ${differs.join(', ')} differ`;
  return fail('ALLOCATION_MISMATCH', message, { extra: { ...extra, differs } });
}

function means(argument: Json): Meaning<Body> {
  const fields = ['allocationCid', 'licenseCid', 'extraArgs'];
  const { allocationCid, licenseCid, extraArgs } = recordWith(argument, 'argument', fields);
  checkExtraArgs(extraArgs);
  // Whether this is a contract ID is checked when the change is recorded.
  const body = {
    allocationContractId: text(allocationCid, 'argument.allocationCid') as ContractId,
  };
  if (licenseCid === undefined) return { body };
  const within = text(licenseCid, 'argument.licenseCid');
  if (!isContractId(within)) return invalid('argument.licenseCid', 'must be a contract ID');
  return { body, within };
}

/** The provider settles a renewal for which money is allocated. This extends the licence. */
export const completeRenewal = defineOperation(renewal, {
  name: 'complete-renewal',
  action: 'complete',
  actAs: 'provider',
  command: {
    kind: 'choice',
    template: LICENSE_RENEWAL_REQUEST,
    name: COMPLETE_RENEWAL,
    argument: record({
      allocationCid: CONTRACT_ID,
      licenseCid: CONTRACT_ID,
      extraArgs: EXTRA_ARGS,
    }),
    consequence: { kind: 'ends', event: 'ledger.renewalCompleted', state: 'renewed' },
  },
  through: {
    kind: license.kind,
    idOf: (fixed) => textAt(fixed, 'licenseId') as LifecycleId | undefined,
    ended: { code: 'LICENSE_ENDED', explanation: 'the licence that the renewal extends has ended' },
    another: { code: 'LICENSE_MISMATCH', explanation: 'the renewal belongs to another licence' },
  },
  notFound: (id) => `Active renewal request not found for contract ${id}`,
  fix,
  gather: async ({ registry, body, through }, io) => {
    assert(through !== null, 'the licence of a completion was known when it was recorded');
    const { values, disclosed } = await registry.settlementContext(body.allocationContractId, io);
    return { facts: { license: through.contractId, context: values }, disclosed };
  },
  argument: ({ change, body, lifecycle, facts }: Attempt<Body, Fixed, Facts>) => ({
    allocationCid: body.allocationContractId,
    licenseCid: facts.license,
    extraArgs: {
      context: { values: facts.context },
      meta: withNote(NO_METADATA, change, lifecycle.provider),
    },
  }),
  answer: ({ created, result }) => ({
    status: 200,
    body: {
      licenseId: typeof result === 'string' ? result : null,
      ...identity(created(License)?.lifecycle),
    },
  }),
  means,
});
