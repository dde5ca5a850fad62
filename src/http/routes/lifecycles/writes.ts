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

/** One thing that can be asked for: how it is addressed, what it takes and what it is answered with. */
export interface WriteRoute<Body extends TSchema> {
  readonly url: string;
  readonly operation: Operation;
  readonly operationId: string;
  readonly summary: string;
  readonly tag: string;
  readonly body: Body;
  /** @default what a body with metadata needs */
  readonly bodyBytesMax?: number;
  /** Without a body there is nothing to ask for. Elsewhere an absent one means empty metadata. */
  readonly needsBody: boolean;
  /** What is recorded of the body. */
  readonly read: (body: Static<Body>) => JsonRecord;
  /** In place of `read`, where what is recorded also depends on what is kept here. */
  readonly resolve?: (request: FastifyRequest, io: Io, body: Static<Body>) => Promise<JsonRecord>;
  /** Where the step's target is named by the body; the path then says what it is reached through. */
  readonly target?: (body: Static<Body>) => string;
  /** A change without a commandId gets one, which the answer names. @default a commandId is needed */
  readonly namesChanges?: true;
  readonly success: Responses;
  /** Failures besides those that every write has. */
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

/** A step of something that exists: `{contractId}` is in the path, and it may be gone, another's, or have moved on. */
export function registerStep<Body extends TSchema>(
  app: HttpApp,
  deps: HttpDeps,
  route: WriteRoute<Body>,
): void {
  register(app, deps, { ...route, problems: [404, 412, ...route.problems] }, true);
}

/** Something new. */
export function registerCreate<Body extends TSchema>(
  app: HttpApp,
  deps: HttpDeps,
  route: WriteRoute<Body>,
): void {
  register(app, deps, route, false);
}
