import type { OpsScope } from '../../app/ports/ops-scope.ts';
import { ofChange } from '../sql/query.ts';

/*
 * The changes that an operator may see, as SQL conditions. The rule is that of `app/ports/ops-scope.ts`; a test
 * compares the two.
 */

export const changesInScope = ({ of, party }: OpsScope) =>
  ofChange(of === 'provider' ? 'c.provider' : 'c.caller_party', '=', party);

/**
 * Like `changesInScope`, but for finished changes, and written as in the indexes. Operators of a party other than the
 * provider see only the changes that their party requested as a user, not those that it requested as the provider.
 */
export const finishedInScope = (scope: OpsScope) =>
  scope.of === 'provider'
    ? changesInScope(scope)
    : changesInScope(scope).and('c.caller_party', '<>', ofChange.ref('c.provider'));
