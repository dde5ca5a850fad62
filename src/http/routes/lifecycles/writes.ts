import type { Static, TSchema } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Io } from '../../../app/ports/io.ts';
import type { Operation } from '../../../domain/change.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { answerChange, commandIdOrNew } from '../../kit/answer-change.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { readId } from '../../kit/address.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { readIo } from '../../kit/request-context.ts';
import type { ProblemStatus, Responses } from '../../kit/responses.ts';
import { writeResponses } from '../../kit/responses.ts';
import { ContractParams, StepHeaders, WriteHeaders, WriteQuery } from '../../schemas.ts';
import { fillBody } from '../../kit/json-body.ts';

/** One kind of write: its address, its body and its answers. */
export interface WriteRoute<Body extends TSchema> {
  readonly url: string;
  readonly operation: Operation;
  readonly operationId: string;
  readonly summary: string;
  readonly tag: string;
  readonly body: Body;
  /** @default the limit of a body with metadata */
  readonly bodyBytesMax?: number;
  /** `true`: a request without a body is refused. `false`: it is treated as a request with empty metadata. */
  readonly needsBody: boolean;
  /** Returns what is recorded of the body. */
  readonly read: (body: Static<Body>) => JsonRecord;
  /** Replaces `read` if the recorded body also depends on data in the store. */
  readonly resolve?: (request: FastifyRequest, io: Io, body: Static<Body>) => Promise<JsonRecord>;
  /** Returns the step's target if the body names it. The path then names the resource that leads to it. */
  readonly target?: (body: Static<Body>) => string;
  /** If set, a change without a commandId gets one, which the answer names. @default a commandId is required */
  readonly namesChanges?: true;
  readonly success: Responses;
  /** Statuses of failures, in addition to those that every write has. */
  readonly problems: readonly ProblemStatus[];
  readonly produces: 'application/json' | 'text/plain' | null;
}

const recordedBody = async <Body extends TSchema>(
  { resolve, read }: WriteRoute<Body>,
  request: FastifyRequest,
  reply: FastifyReply,
  body: Static<Body>,
): Promise<JsonRecord> =>
  resolve === undefined ? read(body) : resolve(request, readIo(reply), body);

function register<Body extends TSchema>(
  app: HttpApp,
  deps: HttpDeps,
  route: WriteRoute<Body>,
  isStep: boolean,
): void {
  app.post(
    route.url,
    {
      bodyLimit: route.bodyBytesMax ?? HTTP_LIMITS.metadataBodyBytesMax,
      config: { produces: route.produces },
      schema: {
        operationId: route.operationId,
        summary: route.summary,
        tags: [route.tag],
        'x-body-required': route.needsBody,
        querystring: WriteQuery,
        headers: isStep ? StepHeaders : WriteHeaders,
        ...(isStep ? { params: ContractParams } : {}),
        body: route.body,
        response: { ...route.success, ...writeResponses(...route.problems) },
      },
      preValidation: fillBody(route.needsBody),
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const body = request.body as Static<Body>;
      const id = isStep ? readId(request) : null;
      const target = route.target?.(body);
      const named = route.namesChanges ? { commandId: commandIdOrNew(request, reply) } : {};
      return answerChange(deps, request, reply, {
        ...named,
        operation: route.operation,
        target: target ?? id,
        ...(target === undefined || id === null ? {} : { within: id, tagOf: 'within' as const }),
        body: await recordedBody(route, request, reply, body),
      });
    },
  );
}

/** Registers a step on a contract. At a request it may be archived, of another party, or in another state. */
export function registerStep<Body extends TSchema>(
  app: HttpApp,
  deps: HttpDeps,
  route: WriteRoute<Body>,
): void {
  register(app, deps, { ...route, problems: [404, 412, ...route.problems] }, true);
}

/** Registers a write that creates something. */
export function registerCreate<Body extends TSchema>(
  app: HttpApp,
  deps: HttpDeps,
  route: WriteRoute<Body>,
): void {
  register(app, deps, route, false);
}
