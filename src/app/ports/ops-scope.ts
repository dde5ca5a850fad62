import type { Caller } from '../../domain/caller.ts';
import type { Change } from '../../domain/change.ts';
import type { Party } from '../../domain/ids.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import type { Hosting } from './ledger.ts';

/**
 * What an operator sees, and so may act on. The operators of the deployment's provider see everything of which it is
 * the provider, whoever asked; those of any other party see what that party asked for and the lifecycles that are its
 * own. Everything else is not there for them. In SQL the same is said in `store/engine/ops-scope.ts`.
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
