import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OpsScope } from '../../../app/ports/ops-scope.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { written } from '../../kit/cursor.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import type { FilterOf, Members } from '../../kit/filter-query.ts';
import { parametersOf, readFilter } from '../../kit/filter-query.ts';
import { readPaging } from '../../kit/list-query.ts';
import { sendPage } from '../../kit/listing.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import type { ProblemStatus } from '../../kit/responses.ts';
import { pageOf } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import type { SharedSchemaName } from '../../schemas.ts';
import { PagingQuery } from '../../schemas.ts';
import { opsScope } from './ops-access.ts';

/** The part of a list that a caller asks for. */
interface Page<Key> {
  readonly after?: Key;
  readonly limit: number;
}

/** A list that operators read page by page. */
export interface DeskList<All extends Members, Key, Entry> {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly entry: SharedSchemaName;
  /** The statuses of problems, where they differ from those of a search. */
  readonly statuses?: readonly ProblemStatus[];
  readonly filter: All;
  /** Ages in the filter are from the time of this clock. */
  readonly clock?: 'wallClock' | 'ledgerClock';
  /** @throws ProblemError `REQUEST_INVALID` when no list has given the cursor */
  readonly readKey: (cursor: string) => Key;
  /** The key of an entry, as the cursor has it. */
  readonly keyOf: (entry: Entry) => readonly string[];
  readonly bodyOf: (entry: Entry, request: FastifyRequest) => JsonRecord;
  readonly find: (
    asked: { readonly scope: OpsScope; readonly filter: FilterOf<All>; readonly page: Page<Key> },
    reply: FastifyReply,
  ) => Promise<readonly Entry[]>;
}

const SEARCH_STATUSES: readonly ProblemStatus[] = [400, 401, 403, 406, 422, 503];

/** Registers the route of a list. A page has `HTTP_LIMITS.opsPageSize` entries unless `limit` says otherwise. */
export function registerDeskList<All extends Members, Key, Entry>(
  app: HttpApp,
  deps: HttpDeps,
  list: DeskList<All, Key, Entry>,
): void {
  const { operationId, summary, description, statuses = SEARCH_STATUSES } = list;
  route(app, 'GET', list.path, {
    operationId,
    summary,
    ...(description === undefined ? {} : { description }),
    tag: 'ops',
    query: Type.Object({ ...parametersOf(list.filter), ...PagingQuery.properties }),
    reply: { 200: pageOf(list.entry, 'A page of them') },
    problems: statuses,
    handle: async (request, reply) => {
      const raw = request.query;
      const { limit: asked, ...position } = readPaging(raw, list.readKey);
      const limit = asked ?? HTTP_LIMITS.opsPageSize;
      const filter = readFilter(list.filter, raw, deps[list.clock ?? 'wallClock'].nowMs());
      const page = { ...position, limit: limit + 1 };
      return sendPage(request, reply, {
        found: await list.find({ scope: opsScope(deps, request), filter, page }, reply),
        limit,
        cursorOf: (entry) => written(list.keyOf(entry)),
        bodyOf: (entry) => list.bodyOf(entry, request),
      });
    },
  });
}
