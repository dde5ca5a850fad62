import type { TSchema } from '@fastify/type-provider-typebox';
import { Type } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import type { Io } from '../../app/ports/io.ts';
import type { Count } from '../../app/ports/views.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { SharedSchemaName } from '../schemas.ts';
import { PagingQuery, TOTAL } from '../schemas.ts';
import { HTTP_LIMITS } from '../limits.ts';
import { inPages, sendCsv, wantsCsv } from './csv.ts';
import { written } from './cursor.ts';
import type { HttpDeps } from './deps.ts';
import type { FilterOf, Member, Members } from './filter-query.ts';
import { parametersOf, readFilter } from './filter-query.ts';
import type { Raw } from './list-query.ts';
import { given, readPaging } from './list-query.ts';
import { addTotal, sendPage } from './listing.ts';
import type { HttpApp } from './request-context.ts';
import { readIo } from './request-context.ts';
import type { ProblemStatus } from './responses.ts';
import { countedPageOf, pageOf, pageOrCsv } from './responses.ts';
import { route } from './route.ts';

/** The part of a list that a caller asks for. */
interface Page<Key> {
  readonly after?: Key;
  readonly limit: number;
}

/** The arguments of `find`: the request for a part of a list. */
export interface Asked<All extends Members, Key> {
  readonly request: FastifyRequest;
  readonly filter: FilterOf<All>;
  readonly page: Page<Key>;
  readonly io: Io;
}

/** A filter with the orders of its list. A list that can grow documents its order, even if there is only one. */
export type Sorted = Members & { readonly sort: Member<string> };

/** A list that callers read page by page. */
export interface PagedList<All extends Sorted, Key, Entry> {
  readonly path: string;
  readonly tag: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly params?: TSchema;
  readonly entry: SharedSchemaName;
  /** Describes the order in the API document. */
  readonly inOrder: string;
  readonly statuses?: readonly ProblemStatus[];
  readonly filter: All;
  /** The clock from whose time ages in the filter are subtracted. */
  readonly clock?: 'wallClock' | 'ledgerClock';
  /** The number of entries in a page if the caller sets no `limit`; `null` for the complete list. */
  readonly pageSize?: number | null;
  readonly pageSizeMax?: number;
  /** The name and the columns of the CSV form, which contains the complete list unless `limit` is given. */
  readonly csv?: { readonly name: string; readonly columns: readonly string[] };
  /** @throws ProblemError `REQUEST_INVALID` if no list issued the cursor */
  readonly readKey: (cursor: string) => Key;
  /** Returns the key of an entry as the parts of a cursor. */
  readonly keyOf: (entry: Entry) => readonly string[];
  readonly bodyOf: (entry: Entry, request: FastifyRequest) => JsonRecord;
  readonly find: (asked: Asked<All, Key>) => Promise<readonly Entry[]>;
  /** Counts the whole list, for callers that request the total. */
  readonly count?: (asked: Omit<Asked<All, Key>, 'page'>) => Promise<Count>;
}

const STATUSES: readonly ProblemStatus[] = [400, 401, 403, 406, 503];

/** Returns the first entries of a list that is read in chunks. */
export async function firstOf<Entry>(all: AsyncIterable<Entry>, limit: number): Promise<Entry[]> {
  const found: Entry[] = [];
  for await (const entry of all) {
    found.push(entry);
    if (found.length >= limit) break;
  }
  return found;
}

type Read<All extends Members, Key> = Omit<Asked<All, Key>, 'page'> & {
  readonly position: Pick<Page<Key>, 'after'>;
};

/** Yields the bodies of all entries, up to the limit if there is one. */
async function* rowsOf<All extends Sorted, Key, Entry>(
  list: PagedList<All, Key, Entry>,
  { position, ...asked }: Read<All, Key>,
  limit: number | null,
): AsyncGenerator<JsonRecord, void, undefined> {
  const page = (after: Key | undefined, size: number) =>
    list.find({ ...asked, page: { ...(after === undefined ? position : { after }), limit: size } });
  const keyOf = (entry: Entry): Key => list.readKey(written(list.keyOf(entry)));
  for await (const entry of inPages(limit, page, keyOf)) yield list.bodyOf(entry, asked.request);
}

const describedIn = <All extends Sorted, Key, Entry>(list: PagedList<All, Key, Entry>) => {
  const { pageSize = HTTP_LIMITS.pageSize, description = '' } = list;
  const usual = pageSize === null ? 'the complete list' : `a page of ${pageSize}`;
  return `${description} Without \`limit\` ${usual}.`.trim();
};

/** Registers the route of a list. */
export function registerPagedList<All extends Sorted, Key, Entry>(
  app: HttpApp,
  deps: HttpDeps,
  list: PagedList<All, Key, Entry>,
): void {
  const { csv, count, statuses = STATUSES, pageSize = HTTP_LIMITS.pageSize } = list;
  const answerOf = csv !== undefined ? pageOrCsv : count === undefined ? pageOf : countedPageOf;
  route(app, 'GET', list.path, {
    operationId: list.operationId,
    summary: list.summary,
    description: describedIn(list),
    tag: list.tag,
    ...given({ params: list.params }),
    query: Type.Object({
      ...parametersOf(list.filter),
      ...PagingQuery.properties,
      ...(count === undefined ? {} : TOTAL),
    }),
    reply: { 200: answerOf(list.entry, list.inOrder) },
    problems: statuses,
    ...(csv === undefined ? {} : { alsoProduces: ['text/csv'] as const }),
    handle: async (request: FastifyRequest, reply) => {
      const raw = request.query as Raw;
      const { limit: wanted, ...position } = readPaging(raw, list.readKey);
      const filter = readFilter(list.filter, raw, deps[list.clock ?? 'wallClock'].nowMs());
      const asked = { request, filter, io: readIo(reply) };
      if (csv !== undefined && wantsCsv(request)) {
        return sendCsv(reply, { ...csv, rows: rowsOf(list, { ...asked, position }, wanted) });
      }
      if (count !== undefined) await addTotal(request, reply, () => count(asked));
      const limit = Math.min(wanted ?? pageSize ?? Infinity, list.pageSizeMax ?? Infinity);
      return sendPage(request, reply, {
        found: await list.find({ ...asked, page: { ...position, limit: limit + 1 } }),
        limit,
        cursorOf: (entry) => written(list.keyOf(entry)),
        bodyOf: (entry) => list.bodyOf(entry, request),
      });
    },
  });
}
