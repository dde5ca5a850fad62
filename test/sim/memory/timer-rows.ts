import type { LaneId } from '../../../src/domain/ids.ts';
import type { Timer } from '../../../src/app/ports/policies.ts';
import type { Writes } from '../../../src/app/ports/writes.ts';
import { textAt } from '../../../src/domain/json.ts';
import type { Lifecycle } from '../../../src/domain/lifecycle.ts';
import { isoToMs } from '../../../src/domain/time.ts';
import { byText } from './find.ts';
import { instant } from './instants.ts';
import type { ServerTransaction } from './server.ts';

const settleBefore = ({ context }: Lifecycle): string | null => {
  const text = textAt(context, 'settleBefore') ?? '';
  return text === '' ? null : instant(text);
};

function lapseOf(lifecycle: Lifecycle): string | null {
  return lifecycle.kind === 'renewal' ? settleBefore(lifecycle) : lifecycle.expiresAt;
}

const latest = (times: readonly (string | null)[]): string | null =>
  times.reduce<string | null>(
    (a, b) => (a === null || (b !== null && isoToMs(b) > isoToMs(a)) ? b : a),
    null,
  );

/** Returns whether a renewal may hold the timer of a licence: it belongs to this licence, or its licence is unknown. */
const isKeptBy = (license: Lifecycle, renewal: Lifecycle): boolean =>
  isAlike(license, renewal) && (renewal.originId ?? license.id) === license.id;

const isAlike = (a: Lifecycle, b: Lifecycle): boolean =>
  a.provider === b.provider && a.appUser === b.appUser && a.licenseNum === b.licenseNum;

function wantedOf(lifecycle: Lifecycle, renewals: readonly Lifecycle[]): Timer | null {
  const lapsesAt = lapseOf(lifecycle);
  if (lapsesAt === null) return null;
  const isLicense = lifecycle.kind === 'license';
  const open = renewals.filter((renewal) => isKeptBy(lifecycle, renewal));
  return {
    lifecycleId: lifecycle.id,
    kind: isLicense ? 'expire' : 'withdraw',
    provider: lifecycle.provider,
    lapsesAt,
    openUntil: isLicense ? latest(open.map(settleBefore)) : null,
    isNeverRenewed: isLicense && isoToMs(lapsesAt) <= isoToMs(lifecycle.createdAt),
    generation: 0,
    failures: 0,
    notBefore: null,
    changeId: null,
    isGivenUp: false,
  };
}

/** Returns the lifecycles in these lanes, and the licences in other lanes to which a renewal may belong. */
function touchedBy(tx: ServerTransaction, lanes: readonly LaneId[]): readonly Lifecycle[] {
  const { lifecycles } = tx.tables;
  const mine = lanes.flatMap((lane) => lifecycles.find(tx, 'lane', lane));
  const ids = new Set(mine.map(({ id }) => id));
  const strays = mine.filter(
    ({ kind, originId }) => kind === 'renewal' && (originId === null || !ids.has(originId)),
  );
  const others = strays.length === 0 ? [] : lifecycles.find(tx, 'active', 'license');
  const kept = others.filter((license) => strays.some((stray) => isAlike(stray, license)));
  return [...new Map([...mine, ...kept].map((each) => [each.id, each])).values()];
}

/**
 * Writes the timers of these lanes again from their current licences and renewals. A timer with a changed due time may
 * fire again.
 */
export async function refreshTimers(
  tx: ServerTransaction,
  { timerLanes: lanes, lifecycles: saved }: Pick<Writes, 'timerLanes' | 'lifecycles'>,
): Promise<void> {
  const { timers, lifecycles } = tx.tables;
  for (const { id, endedAt } of saved) if (endedAt !== null) await tx.remove(timers, id);
  const renewals = lifecycles.find(tx, 'active', 'renewal');
  for (const lifecycle of touchedBy(tx, lanes).toSorted((a, b) => byText(a.id, b.id))) {
    if (lifecycle.kind !== 'license' && lifecycle.kind !== 'renewal') continue;
    if (lifecycle.endedAt !== null) continue;
    const wanted = wantedOf(lifecycle, renewals);
    if (wanted === null) continue;
    await tx.upsert(timers, wanted, (before) => {
      const { openUntil, isNeverRenewed, lapsesAt } = wanted;
      if (lapsesAt !== before.lapsesAt) return wanted;
      const isSame = openUntil === before.openUntil && isNeverRenewed === before.isNeverRenewed;
      return isSame ? null : { ...before, openUntil, isNeverRenewed };
    });
  }
}
