import type { OpsScope } from '../../app/ports/ops-scope.ts';
import { ofChange } from '../sql/query.ts';

/*
 * The changes that an operator may see, as SQL conditions: the rule of `app/ports/ops-scope.ts`. A test compares them.
 */

export const changesInScope = ({ of, party }: OpsScope) =>
  ofChange(of === 'provider' ? 'c.provider' : 'c.caller_party', '=', party);

/**
 * Like `changesInScope`, for finished changes and in the form that the indexes have. Other operators see only the
 * changes that their party requested as a user, not those that it requested as the provider.
 */
export const finishedInScope = (scope: OpsScope) =>
  scope.of === 'provider'
    ? changesInScope(scope)
    : changesInScope(scope).and('c.caller_party', '<>', ofChange.ref('c.provider'));
