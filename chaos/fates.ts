import type { Broken } from './broken.ts';
import { rowsOf } from './rows.ts';

/*
 * Compares the ends of licences that their callers expect under an expiry policy with the actual ends. A licence that
 * has lapsed must have ended once, with a recorded reason; all other licences must be active.
 */

/** How long after a licence's lapse the policy waits before it ends the licence. */
export const GRACE_MS = 1_000;
export const EXPIRY_NOTE = 'Triggered by expiry policy';

/**
 * - `stays`: the licence was never renewed, it was renewed for a long time, or a renewal of it is open.
 * - `lapses`: the licence was renewed for seconds, so the policy ends it.
 * - `ended`: the licence's provider has ended it.
 */
export type Fate = 'stays' | 'lapses' | 'ended';

/**
 * SQL: whether an open renewal may belong to the licence. A renewal names its licence only by provider, user and
 * number, and each install numbers its licences from 1. So while a renewal is open, the policy ends none of the
 * licences with these three values.
 */
const KEPT = `exists (
  select from contract r
  where r.template_fqn like '%:LicenseRenewalRequest' and r.archived_at_offset is null
    and r.payload ->> 'provider' = l.provider and r.payload ->> 'user' = l.app_user
    and r.payload ->> 'licenseNum' = l.license_num::text)`;

/** A licence in the store, with all events by which the ledger has reported its end. */
export interface LicenseEvidence {
  readonly lifecycle: string;
  readonly state: string;
  /** Whether an open renewal may belong to this licence. */
  readonly kept: boolean;
  /** The IDs of all contracts that the licence ever had. */
  readonly contracts: readonly string[];
  readonly ends: readonly {
    readonly note: string | null;
    /** The time from the lapse to the end, by ledger time, in milliseconds. */
    readonly late_ms: number;
  }[];
  /** The operations that were requested to end the licence. */
  readonly asked: readonly {
    readonly commandId: string;
    readonly policy: {
      readonly name: string;
      readonly version: number;
      readonly reason: string;
    } | null;
  }[];
  /**
   * `told` is the number of lines in the history that report the licence's end. `explained` is the number of those that
   * contain the policy's request and its reason.
   */
  readonly told: number;
  readonly explained: number;
}

const LICENSES = `
  select l.id as lifecycle, l.state, ${KEPT} as kept,
    array(select n.contract_id from lineage n where n.lifecycle_id = l.id) as contracts,
    coalesce((
      select json_agg(json_build_object(
        'note', e.argument #>> '{meta,values,Note}',
        'late_ms', 1000 * extract(epoch from e.effective_at - (k.payload ->> 'expiresAt')::timestamptz)))
      from lineage n
        join exercise e on e.contract_id = n.contract_id and e.choice = 'License_Expire'
        join contract k on k.contract_id = e.contract_id and k.template_fqn = e.template_fqn
      where n.lifecycle_id = l.id), '[]') as ends,
    coalesce((
      select json_agg(json_build_object('commandId', c.command_id, 'policy', c.fixed -> 'policy'))
      from change c
      where c.lifecycle_id = l.id and c.operation = 'expire-license' and c.state = 'succeeded'), '[]') as asked,
    (select count(*)::integer from history h
     where h.lifecycle_id = l.id and h.kind = 'ledger.licenseExpired') as told,
    (select count(*)::integer from history h
     where h.lifecycle_id = l.id and h.kind = 'license.expire'
       and h.detail ->> 'policy' = 'expiry' and h.detail ->> 'reason' <> '') as explained
  from lifecycle l where l.kind = 'license'`;

/** Returns how many of these licences a policy has ended. */
export const endedByPolicy = (licenses: readonly LicenseEvidence[]): number =>
  licenses.filter(({ asked }) => asked.some(({ policy }) => policy !== null)).length;

export const licensesIn = (databaseUrl: string): Promise<LicenseEvidence[]> =>
  rowsOf<LicenseEvidence>(databaseUrl, LICENSES);

/** Yields sentences that say what is wrong with the end of a licence that the policy had to end. */
function* wrongWithLapse(license: LicenseEvidence, versionMax: number): Generator<string> {
  const { state, ends, asked, told, explained } = license;
  const [end] = ends;
  if (license.kept && state !== 'expired' && ends.length === 0) return undefined;
  if (state !== 'expired' || end === undefined) return yield `it has lapsed, and is ${state}`;
  if (ends.length > 1 || told !== 1)
    yield `it was ended ${ends.length} times, and told ${told} times`;
  if (end.note !== EXPIRY_NOTE) yield `the ledger was told “${end.note}”`;
  if (end.late_ms < GRACE_MS) yield `it was ended ${end.late_ms} ms after its lapse`;
  const policy = asked[0]?.policy ?? null;
  if (asked.length !== 1 || policy?.name !== 'expiry') yield 'no change of the policy ended it';
  if (policy !== null && !(policy.version >= 1 && policy.version <= versionMax)) {
    yield `version ${policy.version} of the policy was never set`;
  }
  if (policy?.reason === '' || explained < 1) yield 'nothing says why';
  return undefined;
}

function* wrongWith(
  fate: Fate | undefined,
  license: LicenseEvidence,
  versionMax: number,
): Generator<string> {
  const { state, ends, asked } = license;
  if (fate === 'lapses') return yield* wrongWithLapse(license, versionMax);
  if (asked.some(({ policy }) => policy !== null))
    yield 'the policy ended what it should leave alone';
  if (fate === 'stays' && ends.length > 0) yield 'nobody wanted it ended';
  if (fate === 'ended' && (state !== 'expired' || ends.length !== 1)) {
    yield `its provider ended it, it is ${state} and was ended ${ends.length} times`;
  }
  return undefined;
}

/**
 * The expected fates of licences, which follow from the answers to their callers, by each contract ID that a licence
 * had.
 */
export class Fates {
  readonly #fates = new Map<string, Fate>();

  set(contractId: string, fate: Fate): void {
    this.#fates.set(contractId, fate);
  }

  #of({ contracts }: LicenseEvidence): Fate | undefined {
    return contracts.flatMap((id) => this.#fates.get(id) ?? [])[0];
  }

  /** Returns whether the policy still has to end some of these licences. */
  areOpen(licenses: readonly LicenseEvidence[]): boolean {
    return licenses.some(
      (one) => !one.kept && one.state !== 'expired' && this.#of(one) === 'lapses',
    );
  }

  /** @param versionMax the number of the newest version of the policy */
  judge(licenses: readonly LicenseEvidence[], versionMax: number): Broken[] {
    const wrong = licenses.flatMap((license) =>
      [...wrongWith(this.#of(license), license, versionMax)].map(
        (what) => `${license.lifecycle}: ${what}`,
      ),
    );
    const seen = new Set(licenses.flatMap(({ contracts }) => contracts));
    const lost = [...this.#fates.keys()].filter((id) => !seen.has(id));
    return [...wrong, ...lost.map((id) => `${id}: the store has no such licence`)].map(
      (evidence) => ({
        promise: 'exactly the licences that have lapsed are gone, each once and with its reason',
        evidence,
      }),
    );
  }
}
