import type { FastifyRequest } from 'fastify';
import { actionsFor, hasRole } from '../../../app/engine/lanes/allowed.ts';
import { bodiesWith, readSearch } from './beside-the-ledger.ts';
import { acceptedTermsBody, commentsOn } from './comments.ts';
import type { Io } from '../../../app/ports/io.ts';
import type { Reads } from '../../../app/ports/reads.ts';
import type { LifecycleView } from '../../../app/ports/views.ts';
import type { Caller } from '../../../domain/caller.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import type { LicensingKind } from '../../../domain/licensing.ts';
import type { LedgerTimes } from '../../../domain/time.ts';
import type { Lifecycle } from '../../../domain/lifecycle.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { fail } from '../../../domain/problems.ts';
import { contractRoute, readId } from '../../kit/address.ts';
import { prefixOf } from '../../kit/public-address.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { entityTag, entityTagOfBody } from '../../kit/request-headers.ts';
import type { HistoryPosition, PlacedEntry } from './history.ts';
import { historyBody, readHistoryPosition, withComments } from './history.ts';
import { readListFilters } from '../../kit/list-query.ts';
import { answerAll, answerPage, listed } from '../../kit/listing.ts';
import { sortOf } from '../../kit/filter-query.ts';
import { firstOf, registerPagedList } from '../../kit/paged-list.ts';
import { sendCsv, wantsCsv } from '../../kit/csv.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, readIo } from '../../kit/request-context.ts';
import { loggedError } from '../../kit/request-log.ts';
import type { Resource } from '../../kit/resources.ts';
import { notFoundMessage } from '../../kit/resources.ts';
import { countedPageOf, listOf, oneOrKnown, pageOrCsv } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { ContractParams, listQuery } from '../../schemas.ts';

/** Returns the ledger time, or the last known one if it cannot be refreshed: reads work while the ledger is down. */
export async function ledgerTimes(
  deps: HttpDeps,
  request: FastifyRequest,
  io: Io,
): Promise<LedgerTimes> {
  const bounded = { signal: io.signal, deadlineMs: LIMITS.ledgerTimeReadMs };
  await deps.ledgerClock.refresh(bounded).catch((error: unknown) => {
    request.log.warn({ error: loggedError(error) }, 'ledger time could not be refreshed');
  });
  return { nowMs: deps.ledgerClock.nowMs(), certainMs: deps.ledgerClock.certainMs() };
}

/** Finds a lifecycle that the caller may see. Unknown lifecycles and those of other parties get the same answer. */
export async function findVisible(
  deps: HttpDeps,
  resource: Resource,
  request: FastifyRequest,
  io: Io,
): Promise<LifecycleView> {
  const id = readId(request);
  const view = await deps.store.reads.lifecycle(id, io);
  const isVisible =
    view !== null &&
    view.lifecycle.kind === resource.kind &&
    hasRole(view.lifecycle, 'either', callerOf(request).party);
  return isVisible ? view : fail('NOT_FOUND', notFoundMessage(resource, id));
}

const ALSO_CSV = { alsoProduces: ['text/csv'] } as const;

function registerList(app: HttpApp, deps: HttpDeps, resource: Resource): void {
  const { path, word, plural, kind, csv } = resource;
  route(app, 'GET', `/${path}`, {
    operationId: `list${word}s`,
    summary: `List the active ${plural} of the caller`,
    description:
      'Without `limit` returns the complete array; with `limit` returns one page, and header `Link` with rel="next" has the address of the next. With `ended=true`, or with a final `state`, returns ended lifecycles.',
    tag: path,
    query: listQuery(kind),
    reply: {
      200: (csv === undefined ? countedPageOf : pageOrCsv)(
        word,
        'Ordered by user, number and id, unless `sort` says otherwise',
      ),
    },
    problems: [400, 401, 406, 503],
    ...(csv === undefined ? {} : ALSO_CSV),
    handle: async (request, reply) => {
      const io = readIo(reply);
      const raw = request.query;
      const filters = readListFilters(raw, kind, deps.wallClock.nowMs());
      const { nowMs } = await ledgerTimes(deps, request, io);
      const caller = callerOf(request);
      // All entries are evaluated at one instant.
      const bodiesOf = bodiesWith(deps, kind, caller, nowMs, io);
      const found = await readSearch(deps, kind, caller, request, io);
      const listing = { kind, caller, filters: { ...filters, ...found }, bodiesOf };
      const { reads } = deps.store;
      if (csv !== undefined && wantsCsv(request)) {
        const rows = listed(reads, listing, request, reply, io);
        return sendCsv(reply, { name: path, columns: csv, rows });
      }
      return filters.limit === null
        ? answerAll(reads, listing, reply, io)
        : answerPage(reads, listing, filters.limit, request, reply, io);
    },
  });
}

/** Returns the body of one lifecycle. Lists do not show accepted terms, which take a read for each licence. */
async function oneBody(
  deps: HttpDeps,
  kind: LicensingKind,
  view: LifecycleView,
  caller: Caller,
  nowMs: number,
  io: Io,
): Promise<JsonRecord> {
  const [[body = {}], acceptedTerms] = await Promise.all([
    bodiesWith(deps, kind, caller, nowMs, io)([view]),
    kind === 'license' ? acceptedTermsBody(deps.store.reads, view.lifecycle, io) : null,
  ]);
  return kind === 'license' ? { ...body, acceptedTerms } : body;
}

function registerOne(app: HttpApp, deps: HttpDeps, resource: Resource): void {
  const { path, word } = resource;
  route(app, 'GET', contractRoute(path), {
    operationId: `get${word}`,
    summary: `Read one, even after its end`,
    tag: path,
    params: ContractParams,
    reply: { ...oneOrKnown(word, 'As its last contract has it') },
    problems: [400, 401, 404, 406, 503],
    handle: async (request, reply) => {
      const io = readIo(reply);
      const view = await findVisible(deps, resource, request, io);
      const { nowMs } = await ledgerTimes(deps, request, io);
      const body = await oneBody(deps, resource.kind, view, callerOf(request), nowMs, io);
      const { version } = view.lifecycle;
      // A customer may be renamed without a new version of the lifecycle.
      const showsOthers = resource.showsOthers || (body['customer'] ?? null) !== null;
      const tag = showsOthers ? entityTagOfBody(version, body) : entityTag(version);
      return reply.header('etag', tag).send(body);
    },
  });
}

/** Collects the addresses of routes that are registered later and whose calls all need a body. */
function addressesWithBody(app: HttpApp): ReadonlySet<string> {
  const found = new Set<string>();
  app.addHook('onRoute', ({ url, schema }) => {
    if (schema?.['x-body-required'] === true) {
      found.add(url);
    }
  });
  return found;
}

function registerActions(app: HttpApp, deps: HttpDeps, resource: Resource): void {
  const { path, word } = resource;
  const withBody = addressesWithBody(app);
  route(app, 'GET', contractRoute(path, '/actions'), {
    operationId: `list${word}Actions`,
    summary:
      'List the actions of the caller that are possible now, and the reasons why others are not',
    tag: path,
    params: ContractParams,
    reply: { 200: listOf('Action', 'All actions of the machine') },
    problems: [400, 401, 404, 406, 503],
    handle: async (request, reply) => {
      const io = readIo(reply);
      const view = await findVisible(deps, resource, request, io);
      const { lifecycle } = view;
      const times = await ledgerTimes(deps, request, io);
      const base = `${prefixOf(request)}/${path}/${encodeURIComponent(lifecycle.id)}`;
      const actions = actionsFor(view, callerOf(request), times, deps.model);
      return reply.send(
        actions.map(({ path: at, ...action }) => ({
          ...action,
          method: 'POST',
          href: `${base}${at}`,
          needsBody: withBody.has(contractRoute(path, at.replace(':', '/'))),
        })),
      );
    },
  });
}

async function* nothing(): AsyncGenerator<never> {}

/** Yields the history of a lifecycle, with the comments on it, after a position. */
function historyOf(
  reads: Reads,
  lifecycle: Lifecycle,
  after: HistoryPosition | undefined,
  io: Io,
): AsyncIterable<PlacedEntry> {
  const life = { from: lifecycle.createdAt, until: lifecycle.endedAt };
  const comments =
    lifecycle.kind === 'license'
      ? reads.commentsMade({ ...commentsOn(lifecycle), ...life }, io)
      : nothing();
  return withComments(reads.history(lifecycle.id, io), comments, after);
}

const registerHistory = (app: HttpApp, deps: HttpDeps, resource: Resource): void =>
  registerPagedList(app, deps, {
    path: contractRoute(resource.path, '/history'),
    tag: resource.path,
    operationId: `get${resource.word}History`,
    summary: 'Read the history',
    inOrder: 'Oldest first',
    params: ContractParams,
    entry: 'HistoryEntry',
    statuses: [400, 401, 404, 406, 503],
    filter: { sort: sortOf('at') },
    readKey: readHistoryPosition,
    keyOf: ({ position }: PlacedEntry) => [String(position.lines), String(position.comments)],
    bodyOf: ({ entry }: PlacedEntry, request) => historyBody(entry, callerOf(request)),
    async find({ request, page: { after, limit }, io }) {
      const { lifecycle } = await findVisible(deps, resource, request, io);
      return firstOf(historyOf(deps.store.reads, lifecycle, after, io), limit);
    },
  });

/** Registers the routes that every kind of lifecycle has: list, single resource, actions and history. */
export function registerLifecycleReads(app: HttpApp, deps: HttpDeps, resource: Resource): void {
  registerList(app, deps, resource);
  registerOne(app, deps, resource);
  registerActions(app, deps, resource);
  registerHistory(app, deps, resource);
}
