import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HTTP_LIMITS } from '../limits.ts';
import { qualityOf, varyBy } from './accept.ts';
import type { HttpApp } from './request-context.ts';
import { isKnown } from './request-headers.ts';

/*
 * Parts common to all answers to GET and HEAD: `304` for a caller that already has the answer, and compression. Answers
 * to writes are not compressed: they are short, and some contain a new secret or token, which an attacker could guess
 * from the compressed length (BREACH). No answer to a read contains a secret.
 */

const CODINGS = ['br', 'gzip'] as const;
type Coding = (typeof CODINGS)[number];

const withBrotli = promisify(brotliCompress);
const withGzip = promisify(gzip);

const COMPRESS: Readonly<Record<Coding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) =>
    withBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: HTTP_LIMITS.brotliQuality } }),
  gzip: (bytes) => withGzip(bytes),
};

/** Matches JSON, text and markup. The web application's files are not matched, because its build compresses them. */
const IS_TEXT = /^(?:text\/(?!event-stream)|application\/(?:[\w.-]+\+)?json\b)/u;

/** Returns the coding that the caller prefers; `null` for no coding (RFC 9110, 12.5.3). */
export function codingFor(accepted: string | string[] | undefined): Coding | null {
  const header = Array.isArray(accepted) ? accepted.join(',') : (accepted ?? '');
  const quality = (coding: Coding) => qualityOf(header, coding) ?? qualityOf(header, '*') ?? 0;
  let best: Coding | null = null;
  for (const coding of CODINGS) {
    if (quality(coding) > (best === null ? 0 : quality(best))) best = coding;
  }
  return best;
}

/** Compressed forms of answers that never change, such as the OpenAPI document; each is compressed once. */
const compressed = new WeakMap<Buffer, Map<Coding, Promise<Buffer>>>();

function compressedOnce(coding: Coding, bytes: Buffer): Promise<Buffer> {
  const kept = compressed.get(bytes) ?? new Map<Coding, Promise<Buffer>>();
  compressed.set(bytes, kept);
  const found = kept.get(coding) ?? COMPRESS[coding](bytes);
  kept.set(coding, found);
  return found;
}

async function compress(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: string | Buffer,
): Promise<string | Buffer> {
  const isCoded = reply.getHeader('content-encoding') !== undefined;
  const type = String(reply.getHeader('content-type') ?? '');
  if (isCoded || !IS_TEXT.test(type) || Buffer.byteLength(payload) < HTTP_LIMITS.compressBytesMin) {
    return payload;
  }
  varyBy(reply, 'accept-encoding');
  const coding = codingFor(request.headers['accept-encoding']);
  if (coding === null) return payload;
  const sent = Buffer.isBuffer(payload)
    ? await compressedOnce(coding, payload)
    : await COMPRESS[coding](Buffer.from(payload));
  void reply.header('content-encoding', coding).removeHeader('content-length');
  const tag = reply.getHeader('etag');
  // The coding changes the bytes but not the version, so the tag becomes weak.
  if (typeof tag === 'string' && !tag.startsWith('W/')) void reply.header('etag', `W/${tag}`);
  return sent;
}

async function answerRead(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  request.leaveReadTime?.();
  if (request.routeOptions.config.alsoProduces !== undefined) varyBy(reply, 'accept');
  const tag = reply.getHeader('etag');
  const isOk = reply.statusCode === 200;
  if (isOk && typeof tag === 'string' && isKnown(request.headers['if-none-match'], tag)) {
    void reply.code(304).removeHeader('content-length').removeHeader('content-type');
    return null;
  }
  const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
  return isWhole ? compress(request, reply, payload) : payload;
}

/** Adds conditional and compressed answers to GET routes that are registered later. */
export function answerReads(app: HttpApp): void {
  app.addHook('onRoute', (route) => {
    if (![route.method].flat().includes('GET')) return;
    route.onSend = [answerRead, ...[route.onSend ?? []].flat()];
  });
}
