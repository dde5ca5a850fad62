import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Io, LifecycleView, ListKey, ListQuery, Reads } from '../app/ports.ts';
import type { Caller } from '../domain/caller.ts';
import { LIMITS } from '../domain/limits.ts';
import { pathOf } from './address.ts';
import { keyOf, writeCursor } from './cursor.ts';
import type { ListFilters } from './list-query.ts';
import type { Resource } from './resources.ts';

/** One list that is asked for. */
export interface Listing {
  readonly resource: Resource;
  readonly caller: Caller;
  readonly filters: ListFilters;
  /** Ledger time: all entries are judged at the same instant. */
  readonly nowMs: number;
}

type WholeQuery = Omit<ListQuery, 'limit'>;

function queryOf({ resource, caller, filters }: Listing): WholeQuery {
  const { limit: _asked, ...rest } = filters;
  return { kind: resource.kind, party: caller.party, ...rest };
}

const bodiesOf = (listing: Listing, views: readonly LifecycleView[]) =>
  views.map((view) => listing.resource.body(view, listing.nowMs));

/** The same address with another cursor. */
function nextAddress(request: FastifyRequest, after: ListKey): string {
  const parameters = new URLSearchParams(request.originalUrl.split('?')[1]);
  parameters.set('cursor', writeCursor(after));
  return `${pathOf(request.originalUrl)}?${parameters.toString()}`;
}

/** One page, with a link to the next one if there is anything in it. */
export async function answerPage(
  reads: Reads,
  listing: Listing,
  limit: number,
  request: FastifyRequest,
  reply: FastifyReply,
  io: Io,
): Promise<FastifyReply> {
  const query = queryOf(listing);
  const page = await reads.list({ ...query, limit }, io);
  const last = page.at(-1);
  if (page.length === limit && last !== undefined) {
    const after = keyOf(last.lifecycle);
    const more = await reads.list({ ...query, after, limit: 1 }, io);
    if (more.length > 0) {
      void reply.header('link', `<${nextAddress(request, after)}>; rel="next"`);
    }
  }
  return reply.send(bodiesOf(listing, page));
}

async function* inChunks(
  views: AsyncIterable<LifecycleView>,
): AsyncGenerator<readonly LifecycleView[], undefined> {
  let chunk: LifecycleView[] = [];
  for await (const view of views) {
    chunk.push(view);
    if (chunk.length < LIMITS.listChunk) continue;
    yield chunk;
    chunk = [];
  }
  yield chunk;
}

async function* arrayText(
  listing: Listing,
  first: readonly LifecycleView[],
  others: AsyncIterable<readonly LifecycleView[]>,
): AsyncGenerator<string> {
  const textOf = (chunk: readonly LifecycleView[]): string =>
    bodiesOf(listing, chunk)
      .map((body) => JSON.stringify(body))
      .join(',');
  yield `[${textOf(first)}`;
  for await (const chunk of others) if (chunk.length > 0) yield `,${textOf(chunk)}`;
  yield ']';
}

/**
 * The complete array, read and sent in chunks, as fast as the client takes it. The first chunk is read before the
 * answer begins, so a database that cannot be reached is still a problem and not a torn array; one that breaks later
 * tears the connection.
 */
export async function answerAll(
  reads: Reads,
  listing: Listing,
  reply: FastifyReply,
  io: Io,
): Promise<FastifyReply> {
  const chunks = inChunks(reads.listAll(queryOf(listing), io));
  const { value: first = [] } = await chunks.next();
  if (first.length < LIMITS.listChunk) return reply.send(bodiesOf(listing, first));
  return reply.type('application/json').send(Readable.from(arrayText(listing, first, chunks)));
}
