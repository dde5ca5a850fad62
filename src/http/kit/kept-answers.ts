import { createHash } from 'node:crypto';
import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest, RouteHandlerMethod, RouteOptions } from 'fastify';
import type { KeptAnswer, KeyedRequest } from '../../app/ports/kept-answers.ts';
import type { Json } from '../../domain/json.ts';
import { canonicalJson } from '../../domain/json.ts';
import { ProblemError, fail } from '../../domain/problems.ts';
import { HTTP_LIMITS } from '../limits.ts';
import { keyIn } from './command-id.ts';
import type { HttpDeps } from './deps.ts';
import { invalid } from './invalid.ts';
import type { HttpApp } from './request-context.ts';
import { callerOf, lastingIo } from './request-context.ts';
import { loggedError } from './request-log.ts';
import type { Responses } from './responses.ts';
import { problems, withReplays } from './responses.ts';
import { optionalText } from './schema.ts';

/*
 * `Idempotency-Key` of the `POST` routes that record no operation. A successful answer is kept for a day, and repeated
 * requests get it again. The effect and the answer are written in two transactions. If the process ends between them,
 * the outcome is unknown and repeated requests are refused. So no request takes effect twice.
 */

const HEADER = 'Idempotency-Key';
const KEPT_HEADERS = ['content-type', 'etag', 'location'] as const;

const digest = (value: Json): Buffer => createHash('sha256').update(canonicalJson(value)).digest();

function keyOf(request: FastifyRequest): string | undefined {
  const key = keyIn(request.headers['idempotency-key']);
  if (key === undefined) return undefined;
  const { idempotencyKeyCharsMax: most } = HTTP_LIMITS;
  if (key.length >= 1 && key.length <= most) return key;
  return invalid(HEADER, `must have 1 to ${most} characters`);
}

function keyedRequest(request: FastifyRequest, key: string): KeyedRequest {
  const { tenantId, party, subject } = callerOf(request);
  const { method, routeOptions, params, query, body } = request;
  const asked = [method, routeOptions.url ?? '', params, query, body ?? null];
  return { id: digest([tenantId, party, subject, key]), request: digest(asked as Json) };
}

/** Removes a secret from a kept answer, because secrets are shown once and not stored. The answer says so. */
function withoutSecret(payload: string): string {
  const { secret, ...body } = JSON.parse(payload) as Readonly<Record<string, unknown>>;
  return secret === undefined ? payload : JSON.stringify({ ...body, secretShown: true });
}

function answerOf(reply: FastifyReply, payload: unknown): KeptAnswer {
  const headers = KEPT_HEADERS.flatMap((name) => {
    const value = reply.getHeader(name);
    return value === undefined ? [] : [[name, String(value)] as const];
  });
  const body = typeof payload === 'string' ? withoutSecret(payload) : null;
  return { status: reply.statusCode, headers: Object.fromEntries(headers), body };
}

const sendAgain = (reply: FastifyReply, { status, headers, body }: KeptAnswer): FastifyReply =>
  reply
    .code(status)
    .headers(headers)
    .header('idempotent-replayed', 'true')
    .send(body ?? undefined);

/** Refuses a repeated request for whose first one no answer is stored. */
function failOpen(sinceMs: number): never {
  if (sinceMs < HTTP_LIMITS.keyedRequestMs) {
    return fail('IDEMPOTENCY_KEY_IN_USE', 'the first request with this key is being carried out');
  }
  return fail(
    'IDEMPOTENCY_OUTCOME_UNKNOWN',
    'the first request with this key ended without a recorded answer: look whether it took effect, and use a new key',
  );
}

/** Whether an error proves that its request had no effect: only a refusal does. */
const hadNoEffect = (error: unknown): boolean =>
  error instanceof ProblemError && error.details.status !== 500;

/** Frees the key of a refused request. If that fails, the caller still gets the refusal, but needs a new key. */
async function freeKey(
  keptAnswers: HttpDeps['keptAnswers'],
  id: Buffer,
  request: FastifyRequest,
): Promise<void> {
  try {
    await keptAnswers.forget(id, lastingIo(request));
  } catch (error) {
    request.log.warn({ error: loggedError(error) }, 'the key of a refused request is not freed');
  }
}

const answeredOnce = (
  { keptAnswers }: Pick<HttpDeps, 'keptAnswers'>,
  handler: RouteHandlerMethod,
): RouteHandlerMethod =>
  async function answerOnce(request, reply) {
    const key = keyOf(request);
    if (key === undefined) return handler.call(this, request, reply);
    const asked = keyedRequest(request, key);
    const begun = await keptAnswers.begin(asked, lastingIo(request));
    if (begun.kind === 'answered') return sendAgain(reply, begun.answer);
    if (begun.kind === 'other') fail('IDEMPOTENCY_KEY_REUSED', 'the key means another request');
    if (begun.kind === 'open') failOpen(begun.sinceMs);
    request.keyed = asked.id;
    try {
      return await handler.call(this, request, reply);
    } catch (error) {
      request.keyed = null;
      if (hadNoEffect(error)) await freeKey(keptAnswers, asked.id, request);
      throw error;
    }
  };

/** Stores the answer before it is sent to the caller. */
const keepAnswer =
  ({ keptAnswers }: Pick<HttpDeps, 'keptAnswers'>) =>
  async (request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> => {
    const { keyed } = request;
    if (keyed === null) return payload;
    try {
      await keptAnswers.keep(keyed, answerOf(reply, payload), lastingIo(request));
    } catch (error) {
      request.log.warn({ error: loggedError(error) }, 'an answer could not be kept');
    }
    return payload;
  };

const KEPT =
  'Names the request, plain or quoted, with 1 to 255 characters. For 24 hours the same caller gets the answer of the ' +
  'first request again, without a secret. A refused request frees the key.';

const ignored = (why: string): string => `Ignored, because a repetition is harmless: ${why}`;

const declare = (route: RouteOptions, description: string, response: Responses): void => {
  const { headers } = (route.schema ?? {}) as {
    readonly headers?: { readonly properties: object };
  };
  const key = optionalText(description, '"order-4711"');
  route.schema = {
    ...route.schema,
    headers: Type.Object({ ...headers?.properties, [HEADER]: key }),
    response,
  };
};

const takesCommandId = ({ schema }: RouteOptions): boolean => {
  const query = schema?.querystring as { readonly properties?: object } | undefined;
  return 'commandId' in (query?.properties ?? {});
};

/** Makes `POST` routes that are registered later accept `Idempotency-Key`. Operations have a `commandId` instead. */
export function takeIdempotencyKeys(app: HttpApp, deps: Pick<HttpDeps, 'keptAnswers'>): void {
  app.addHook('onRoute', (route) => {
    const isPost = route.method === 'POST' && route.schema?.operationId !== undefined;
    if (!isPost || takesCommandId(route)) return;
    const response = (route.schema?.response ?? {}) as Responses;
    const { harmless } = route.config ?? {};
    if (harmless !== undefined) return declare(route, ignored(harmless), response);
    declare(route, KEPT, { ...withReplays(response), ...problems(409, 422) });
    route.handler = answeredOnce(deps, route.handler);
    route.onSend = [keepAnswer(deps), ...[route.onSend ?? []].flat()];
  });
}
