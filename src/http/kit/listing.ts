import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Io } from '../../app/ports/io.ts';
import type { Reads } from '../../app/ports/reads.ts';
import type { Count, LifecycleView, ListQuery } from '../../app/ports/views.ts';
import type { Caller } from '../../domain/caller.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { LicensingKind } from '../../domain/licensing.ts';
import { LIMITS } from '../../domain/limits.ts';
import { pathOf, queryOf } from './address.ts';
import { listKeyOf } from '../../app/ports/views.ts';
import { forwardedOf } from './public-address.ts';
import { writeCursor } from './cursor.ts';
import type { ListFilters, Raw } from './list-query.ts';
import { readOneOf } from './list-query.ts';

/** Converts entries to bodies. Takes all entries at once, so that one query reads the related data of every entry. */
export type BodiesOf<T> = (entries: readonly T[]) => Promise<readonly JsonRecord[]>;

/** The request for one list. */
export interface Listing {
  readonly kind: LicensingKind;
  /** Converts lifecycles to bodies for the caller. */
  readonly bodiesOf: BodiesOf<LifecycleView>;
  readonly caller: Caller;
  readonly filters: ListFilters;
}

type WholeQuery = Omit<ListQuery, 'limit'>;

function wholeQuery({ kind, caller, filters }: Listing): WholeQuery {
  const { limit: _asked, ...rest } = filters;
  return { kind, party: caller.party, ...rest };
}

/** The result of a query for a page of `limit` entries. */
interface Page<Entry> {
  readonly found: readonly Entry[];
  readonly limit: number;
  /** Returns the cursor of the page that follows an entry. */
  readonly cursorOf: (last: Entry) => string;
  readonly bodyOf: (entry: Entry) => JsonRecord;
}

/** Adds a link to the `Link` header of the answer. */
export function addLink(reply: FastifyReply, link: string): void {
  const others = reply.getHeader('link');
  void reply.header('link', others === undefined ? link : `${String(others)}, ${link}`);
}

/** Adds the number of all entries to the answer if the caller requests the total. */
export async function addTotal(
  request: FastifyRequest,
  reply: FastifyReply,
  count: () => Promise<Count>,
): Promise<void> {
  if (readOneOf(request.query as Raw, 'total', ['true', 'false']) !== 'true') return;
  const total = await count();
  void reply.header('total-count', `${total.count}${total.more ? ';more' : ''}`);
}

/** Adds a link to the next page: the same address with another cursor. */
export function linkNext(request: FastifyRequest, reply: FastifyReply, cursor: string): void {
  const parameters = new URLSearchParams(queryOf(request));
  parameters.set('cursor', cursor);
  const address = `${forwardedOf(request).prefix}${pathOf(request.originalUrl)}`;
  addLink(reply, `<${address}?${parameters.toString()}>; rel="next"`);
}

/**
 * Sends a page, with a link to the next page if there are more entries.
 *
 * @param found the entries of the page, plus one more if there is a next page
 */
export function sendPage<Entry>(
  request: FastifyRequest,
  reply: FastifyReply,
  { found, limit, cursorOf, bodyOf }: Page<Entry>,
): FastifyReply {
  const page = found.slice(0, limit);
  const last = page.at(-1);
  if (found.length > limit && last !== undefined) linkNext(request, reply, cursorOf(last));
  return reply.send(page.map((entry) => bodyOf(entry)));
}

/** Sends one page of a list of lifecycles. */
export async function answerPage(
  reads: Reads,
  listing: Listing,
  limit: number,
  request: FastifyRequest,
  reply: FastifyReply,
  io: Io,
): Promise<FastifyReply> {
  const { after: _position, ...counted } = wholeQuery(listing);
  await addTotal(request, reply, () => reads.count(counted, io));
  const found = await reads.list({ ...wholeQuery(listing), limit: limit + 1 }, io);
  const bodies = await listing.bodiesOf(found.slice(0, limit));
  return sendPage(request, reply, {
    found: found.map((view, n) => ({ view, body: bodies[n] ?? {} })),
    limit,
    cursorOf: ({ view }) => writeCursor(listKeyOf(view.lifecycle)),
    bodyOf: ({ body }) => body,
  });
}

async function* inChunks<T>(entries: AsyncIterable<T>): AsyncGenerator<readonly T[], undefined> {
  let chunk: T[] = [];
  for await (const entry of entries) {
    chunk.push(entry);
    if (chunk.length < LIMITS.listChunk) continue;
    yield chunk;
    chunk = [];
  }
  yield chunk;
}

async function* arrayText<T>(
  first: readonly JsonRecord[],
  others: AsyncIterable<readonly T[]>,
  bodiesOf: BodiesOf<T>,
): AsyncGenerator<string> {
  const textOf = (bodies: readonly JsonRecord[]): string =>
    bodies.map((body) => JSON.stringify(body)).join(',');
  yield `[${textOf(first)}`;
  for await (const chunk of others) {
    if (chunk.length > 0) yield `,${textOf(await bodiesOf(chunk))}`;
  }
  yield ']';
}

/**
 * Sends the complete array, which is read and written in chunks, as fast as the client reads it. Reads the first chunk
 * before the answer begins, so that an unreachable database results in a problem and not in a truncated array. A later
 * failure closes the connection.
 */
export async function answerArray<T>(
  entries: AsyncIterable<T>,
  bodiesOf: BodiesOf<T>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const chunks = inChunks(entries);
  const { value: first = [] } = await chunks.next();
  const bodies = await bodiesOf(first);
  if (first.length < LIMITS.listChunk) return reply.send(bodies);
  return reply.type('application/json').send(Readable.from(arrayText(bodies, chunks, bodiesOf)));
}

/** Yields the requested bodies: the complete list, or a page with a link to the next one. */
export async function* listed(
  reads: Reads,
  listing: Listing,
  request: FastifyRequest,
  reply: FastifyReply,
  io: Io,
): AsyncGenerator<JsonRecord, void, undefined> {
  const { bodiesOf, filters } = listing;
  const { limit } = filters;
  if (limit === null) {
    const entries = reads.listAll(wholeQuery(listing), io);
    for await (const chunk of inChunks(entries)) yield* await bodiesOf(chunk);
    return;
  }
  const found = await reads.list({ ...wholeQuery(listing), limit: limit + 1 }, io);
  const last = found[limit - 1];
  if (found.length > limit && last !== undefined) {
    linkNext(request, reply, writeCursor(listKeyOf(last.lifecycle)));
  }
  yield* await bodiesOf(found.slice(0, limit));
}

/** Sends the complete list. */
export const answerAll = (
  reads: Reads,
  listing: Listing,
  reply: FastifyReply,
  io: Io,
): Promise<FastifyReply> =>
  answerArray(reads.listAll(wholeQuery(listing), io), listing.bodiesOf, reply);
