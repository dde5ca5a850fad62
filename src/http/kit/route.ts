import type { Static, TSchema } from '@fastify/type-provider-typebox';
import type {
  FastifyContextConfig,
  FastifyReply,
  FastifyRequest,
  RouteHandlerMethod,
} from 'fastify';
import type { Raw } from './list-query.ts';
import { given } from './list-query.ts';
import { fillBody } from './json-body.ts';
import type { HttpApp } from './request-context.ts';
import type { ProblemStatus, Responses } from './responses.ts';
import { problems } from './responses.ts';

type Config = Pick<FastifyContextConfig, 'produces' | 'alsoProduces' | 'harmless'>;

/** An operation of the API. The types of its path parameters and its body follow from their schemas. */
export interface Operation<Params extends TSchema, Body extends TSchema> extends Config {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly params?: Params;
  readonly query?: TSchema;
  readonly headers?: TSchema;
  readonly body?: Body;
  /** `false`: a request without a body is treated as an empty object. @default such a request is refused */
  readonly needsBody?: boolean;
  readonly bodyLimit?: number;
  readonly exposeHeadRoute?: boolean;
  /** How callers authenticate. Absent: the default of the API document. */
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  /** The successful answers, by status. */
  readonly reply: Responses;
  readonly problems?: readonly ProblemStatus[];
  readonly handle: (
    request: FastifyRequest<{ Params: Static<Params>; Querystring: Raw; Body: Static<Body> }>,
    reply: FastifyReply,
  ) => Promise<unknown>;
}

/** Registers an operation. A successful answer is `application/json` unless `produces` says otherwise. */
export function route<Params extends TSchema, Body extends TSchema>(
  app: HttpApp,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  operation: Operation<Params, Body>,
): void {
  const { produces = 'application/json', alsoProduces, harmless, ...routed } = operation;
  const { bodyLimit, exposeHeadRoute, handle, ...described } = routed;
  const { tag, query: querystring, needsBody = true, reply, ...words } = described;
  const { problems: statuses = [], ...schema } = words;
  const checked = schema.body === undefined ? {} : { preValidation: fillBody(needsBody) };
  app.route({
    method,
    url,
    ...given({ bodyLimit, exposeHeadRoute }),
    config: given({ produces, alsoProduces, harmless }),
    schema: {
      ...schema,
      ...given({ querystring }),
      ...(schema.body === undefined ? {} : { 'x-body-required': needsBody }),
      tags: [tag],
      response: { ...reply, ...problems(...statuses) },
    },
    ...checked,
    handler: handle as RouteHandlerMethod,
  });
}
