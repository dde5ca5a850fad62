import type { Caller } from '../../domain/caller.ts';
import type { Change } from '../../domain/change.ts';
import type { Party } from '../../domain/ids.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import type { Hosting } from './ledger.ts';

/**
 * The rows that an operator can see and act on. Operators of the deployment's provider see everything of that provider,
 * whichever party requested it. Operators of another party see only operations that the party requested, and the
 * party's own lifecycles. `store/engine/ops-scope.ts` implements the same rule in SQL.
 */
export interface OpsScope {
  readonly of: 'provider' | 'caller';
  readonly party: Party;
}

export const scopeOf = (
  { party }: Pick<Caller, 'party'>,
  { provider }: Pick<Hosting, 'provider'>,
): OpsScope => ({ of: party === provider ? 'provider' : 'caller', party });

export const seesChange = (
  { of, party }: OpsScope,
  change: Pick<Change, 'provider' | 'callerParty'>,
): boolean => (of === 'provider' ? change.provider === party : change.callerParty === party);

export const seesLifecycle = (
  { of, party }: OpsScope,
  lifecycle: Pick<Lifecycle, 'provider' | 'appUser'>,
): boolean =>
  of === 'provider'
    ? lifecycle.provider === party
    : lifecycle.provider === party || lifecycle.appUser === party;
