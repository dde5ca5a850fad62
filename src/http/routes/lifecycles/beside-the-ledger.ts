import type { FastifyRequest } from 'fastify';
import type { Io } from '../../../app/ports/io.ts';
import type { LifecycleView, ListQuery } from '../../../app/ports/views.ts';
import type { Caller } from '../../../domain/caller.ts';
import type { CustomerName } from '../../../domain/customer.ts';
import type { LifecycleId, Party } from '../../../domain/ids.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import type { LicenseRecord } from '../../../domain/license-record.ts';
import { soldTermsOf } from '../../../domain/license-record.ts';
import type { LicensingKind } from '../../../domain/licensing.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { textOf } from '../../kit/list-query.ts';
import type { BodiesOf } from '../../kit/listing.ts';
import type { Raw } from '../../kit/list-query.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { invalid } from '../../kit/invalid.ts';

/* Adds data that Tenure keeps outside the ledger to answers. One statement reads it for all entries of an answer. */

const ofTenure = <T>(value: T) => ({ value, from: 'tenure' as const });

/** The terms of a licence. Each says whether it comes from the contract or from Tenure. */
function termsBody(record: LicenseRecord): JsonRecord | null {
  const sold = soldTermsOf(record);
  const { planTerms } = record;
  if (sold === null && planTerms === null) return null;
  return {
    ...(sold === null
      ? {}
      : {
          seats: { value: sold.seats, from: sold.from },
          entitlements: { value: { ...sold.entitlements }, from: sold.from },
        }),
    ...(planTerms === null
      ? {}
      : {
          trial: ofTenure(planTerms.trial),
          grace: ofTenure(planTerms.grace),
          offlineTime: ofTenure(planTerms.offlineTime),
          heartbeatTime: ofTenure(planTerms.heartbeatTime),
        }),
  };
}

/** The members that come from Tenure's record of a licence. A licence that was never numbered has no reference. */
function recordBody(record: LicenseRecord | undefined): JsonRecord {
  if (record === undefined) return { reference: null, plan: null, terms: null, suspended: null };
  const { reference, plan, planTerms, suspension } = record;
  return {
    reference,
    plan: plan === null ? null : { ...plan, name: planTerms?.name ?? null },
    terms: termsBody(record),
    suspended: suspension === null ? null : { ...suspension },
  };
}

const NO_CUSTOMERS: ReadonlyMap<Party, CustomerName> = new Map();
const NO_RECORDS: ReadonlyMap<LifecycleId, LicenseRecord> = new Map();

/** The licence whose record is shown with a lifecycle. */
const licenseOf = ({ lifecycle }: LifecycleView): LifecycleId | null =>
  lifecycle.kind === 'license'
    ? lifecycle.id
    : lifecycle.kind === 'renewal'
      ? lifecycle.originId
      : null;

function besideBody(
  { lifecycle }: LifecycleView,
  customer: CustomerName | undefined,
  record: LicenseRecord | undefined,
  isProvider: boolean,
): JsonRecord {
  return {
    ...(isProvider ? { customer: customer === undefined ? null : { ...customer } } : {}),
    ...(lifecycle.kind === 'license' ? recordBody(record) : {}),
    ...(lifecycle.kind === 'renewal' ? { reference: record?.reference ?? null } : {}),
  };
}

/** Returns a function that makes bodies of lifecycles for the caller. Only the provider sees names of customers. */
export const bodiesWith =
  (
    deps: HttpDeps,
    kind: LicensingKind,
    caller: Pick<Caller, 'party'>,
    nowMs: number,
    io: Io,
  ): BodiesOf<LifecycleView> =>
  async (views) => {
    const { body } = deps.model.lifecycle(kind);
    const provided = views.filter(({ lifecycle }) => lifecycle.provider === caller.party);
    const parties = provided.map(({ lifecycle }) => lifecycle.appUser);
    const licenses = views.flatMap((view) => licenseOf(view) ?? []);
    const [customers, records] = await Promise.all([
      parties.length === 0 ? NO_CUSTOMERS : deps.customers.ofParties(caller.party, parties, io),
      licenses.length === 0 ? NO_RECORDS : deps.licenseRecords.of(licenses, io),
    ]);
    return views.map((view) => {
      const license = licenseOf(view);
      const isProvider = view.lifecycle.provider === caller.party;
      const customer = customers.get(view.lifecycle.appUser);
      const record = license === null ? undefined : records.get(license);
      return { ...body(view, nowMs), ...besideBody(view, customer, record, isProvider) };
    });
  };

/** Restricts a list of licences to those whose customer or reference matches the search. */
export async function readSearch(
  deps: HttpDeps,
  kind: LicensingKind,
  { party }: Pick<Caller, 'party'>,
  request: FastifyRequest,
  io: Io,
): Promise<Pick<ListQuery, 'among'>> {
  if (kind !== 'license') return {};
  const text = textOf(request.query as Raw, 'search');
  if (text === undefined) return {};
  if (text.length > HTTP_LIMITS.searchCharsMax) {
    invalid('search', `must have at most ${HTTP_LIMITS.searchCharsMax} characters`);
  }
  const { parties, licenses } = await deps.licenseRecords.search(party, text, io);
  return { among: { appUsers: parties, ids: licenses } };
}
