import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError, fail } from '../../domain/problems.ts';
import { HTTP_LIMITS } from '../limits.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Whether PostgreSQL can store the text, and the ledger returns it unchanged. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

function checkText(text: string, field: string): void {
  if (isStorable(text)) return;
  fail(
    'REQUEST_INVALID',
    `${JSON.stringify(field)} holds a NUL character or half a surrogate pair`,
    {
      extra: { field: isStorable(field) ? field : JSON.stringify(field).slice(1, -1) },
    },
  );
}

/**
 * Checks every member while the body is parsed. A number that a double cannot represent exactly is kept as text,
 * because metadata values are texts on the ledger and must arrive there as they were written.
 */
function checkMember(key: string, value: unknown, context?: { readonly source?: string }): unknown {
  checkText(key, key);
  // Assigning such a member later would change an object's prototype.
  if (key === '__proto__') fail('REQUEST_INVALID', 'the body has a member __proto__');
  if (typeof value === 'string') checkText(value, key);
  if (typeof value !== 'number' || context?.source === undefined) return value;
  return String(value) === context.source ? value : context.source;
}

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from(
  String.raw`"\,[]{}`,
);

/**
 * Counts members and depth in the bytes. The parsing time grows with the number of members rather than bytes, so a body
 * with too many members is refused before it is parsed.
 */
function checkShape(bytes: Uint8Array): void {
  let members = 0;
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < bytes.length && members <= HTTP_LIMITS.bodyMembersMax; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) isInText = !isInText;
    else if (isInText) {
      if (byte === BACKSLASH) at += 1;
    } else if (byte === COMMA) members += 1;
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      members += 1;
      depth += 1;
      if (depth > HTTP_LIMITS.bodyDepthMax) throw new RangeError('nested too deeply');
    }
  }
  if (members <= HTTP_LIMITS.bodyMembersMax) return;
  fail('REQUEST_INVALID', `the body has more than ${HTTP_LIMITS.bodyMembersMax} members`);
}

/**
 * Parses a JSON body. An empty body counts as no body, even if the request has a content type.
 *
 * @throws ProblemError `BODY_MALFORMED` if it is not JSON in UTF-8, `REQUEST_INVALID` if it has too many members or
 *   text that cannot be stored
 */
export function parseJsonBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  try {
    checkShape(bytes);
    return JSON.parse(decoder.decode(bytes), checkMember);
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    // Begins like the reference application's message. The parser's own quotes the body and changes between releases.
    return fail('BODY_MALFORMED', `JSON parse error: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return 'it is nested too deeply';
  return error instanceof SyntaxError ? 'it is no JSON text' : 'it is not in UTF-8';
}

/** Whether the request has a body. Without either header, or with a length of zero, it has none (RFC 9112, 6.3). */
const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/**
 * Refuses every content type without a parser as `415`. Accepts a request without a body, because some clients send a
 * content type with every call.
 */
export function refuseOtherBodies(app: FastifyInstance, accepted: string): void {
  app.addContentTypeParser('*', async (request: FastifyRequest) => {
    if (hasBody(request)) fail('MEDIA_TYPE_UNSUPPORTED', `the body must be ${accepted}`);
  });
}

/**
 * Makes the routes of the scope read JSON or no body. The scope must find the caller before Fastify reads a body. If
 * the scope limits its callers, a large body waits for its turn before it is parsed.
 */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      request.bodyRoom?.shrink(body.length);
      const encoding = request.headers['content-encoding'] ?? 'identity';
      if (encoding.toLowerCase() !== 'identity') {
        fail('MEDIA_TYPE_UNSUPPORTED', `content encoding ${encoding} is not supported`);
      }
      const isSmall = body.length <= HTTP_LIMITS.smallBodyBytes;
      const leave = isSmall ? undefined : await request.bodyTurn?.();
      try {
        return parseJsonBody(body);
      } finally {
        leave?.();
      }
    },
  );
  refuseOtherBodies(app, 'application/json');
}

/**
 * Replaces an absent body, or refuses the request. Runs before the check by the body's schema, which would treat an
 * absent body as `null`.
 */
export const fillBody = (needsBody: boolean) => async (request: FastifyRequest) => {
  if (request.body !== undefined && request.body !== null) return;
  if (needsBody) {
    fail('REQUEST_INVALID', 'Required request body is missing', { extra: { field: 'body' } });
  }
  request.body = {};
};
