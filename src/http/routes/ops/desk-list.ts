import { HTTP_LIMITS } from '../../limits.ts';
import type { OpsScope } from '../../../app/ports/ops-scope.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import type { Asked, PagedList, Sorted } from '../../kit/paged-list.ts';
import { registerPagedList } from '../../kit/paged-list.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import type { ProblemStatus } from '../../kit/responses.ts';
import { opsScope } from './ops-access.ts';

/** A list for operators, each of whom may see only a part of the deployment. */
type DeskList<All extends Sorted, Key, Entry> = Omit<PagedList<All, Key, Entry>, 'tag' | 'find'> & {
  readonly find: (
    asked: Asked<All, Key> & { readonly scope: OpsScope },
  ) => Promise<readonly Entry[]>;
};

const SEARCH_STATUSES: readonly ProblemStatus[] = [400, 401, 403, 406, 422, 503];

/** Registers the route of a list for operators. */
export const registerDeskList = <All extends Sorted, Key, Entry>(
  app: HttpApp,
  deps: HttpDeps,
  list: DeskList<All, Key, Entry>,
): void =>
  registerPagedList(app, deps, {
    statuses: SEARCH_STATUSES,
    pageSize: HTTP_LIMITS.opsPageSize,
    ...list,
    tag: 'ops',
    find: (asked) => list.find({ ...asked, scope: opsScope(deps, asked.request) }),
  });
