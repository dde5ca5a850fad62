import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ParticipantNode } from '../../ledger/participant-node.ts';
import type { Json } from '../../ledger/lf-json.ts';
import { callOf } from '../json-call.ts';
import type { JsonCall } from '../json-call.ts';
import { hungUp } from '../../listener.ts';
import { listOf } from './lists.ts';
import type {
  Given,
  Operation,
  QueryParameter,
  ServiceCall,
  Services,
  StreamOperation,
  UnaryOperation,
} from './operation.ts';
import { queryOf } from './query.ts';
import { guardedStream, serviceCall } from './call-context.ts';
import { Reader } from './shape.ts';
import type { Shape } from './shape.ts';
import type { ValueCodec } from './value-codec.ts';
import { parseFailure } from './parse-failure.ts';
import { Unreadable } from './unreadable.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the body is a file, which is not read as JSON. */
    isFile?: boolean;
    /** Whether a GET request has a body. */
    takesBody?: boolean;
  }
}

/** The maximum size of a DAR, which is a participant's own limit for one inbound message. */
const FILE_BYTES_MAX = 10 * 1024 * 1024;

export interface RouteOptions {
  readonly participant: ParticipantNode;
  readonly services: () => Services;
  readonly values: ValueCodec;
}

/** Reads a body with a shape. Throws Unreadable with all errors in the body. */
export function readBody(shape: Shape<unknown>, json: Json): unknown {
  const reader = new Reader();
  const body = shape.read(json, reader);
  if (reader.defects.length > 0) throw new Unreadable(reader.defects.join(', '));
  return body;
}

/** Parses the JSON of a body. Throws Unreadable with the error message of a participant's parser. */
export function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new Unreadable(parseFailure(text));
  }
}

/** Replaces parameter names such as `{user-id}` by identifiers, because the router accepts only those. */
const routeOf = (path: string): string =>
  path.replace(/\{([\w-]+)\}/g, (_whole, name: string) => `:${name.replaceAll('-', '_')}`);

const pathOf = (request: FastifyRequest): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(request.params as Record<string, string>).map(([name, value]) => [
      name.replaceAll('_', '-'),
      value,
    ]),
  );

/** Records the submission once it has been read, so that errors of the call name it. */
function noteSubmission(call: JsonCall, { submits, submissionId }: ServiceCall): void {
  if (submits === undefined || submissionId === undefined) return;
  const { commandId, actAs } = submits;
  call.submission = { submissionId, commandId, actAs };
}

/** The query parameters that every list has. */
export const LIST_QUERY: readonly QueryParameter[] = [
  { name: 'limit', kind: 'long' },
  { name: 'stream_idle_timeout_ms', kind: 'long' },
];

/** Adds the routes of operations. Streaming operations answer with lists here. */
export function addOperations(
  app: FastifyInstance,
  operations: readonly Operation[],
  options: RouteOptions,
): void {
  for (const operation of operations) {
    if (operation.kind === 'unary') addUnary(app, operation, options);
    else addList(app, operation, options);
  }
}

function addUnary(
  app: FastifyInstance,
  operation: UnaryOperation,
  { services, values }: RouteOptions,
): void {
  const { method, path, isFile = false, query = [], answer } = operation;
  app.route({
    method,
    url: routeOf(path),
    config: { isFile, takesBody: operation.body !== undefined },
    ...(isFile ? { bodyLimit: FILE_BYTES_MAX } : {}),
    handler: async (request, reply) => {
      const call = callOf(request);
      const given: Given<unknown> = {
        query: queryOf(request.url, query),
        path: pathOf(request),
        body: isFile ? request.body : bodyOf(operation.body, request),
      };
      const context = serviceCall(call, hungUp(reply));
      try {
        const result = await operation.run(services(), given, context, values);
        return answer === undefined
          ? sendFile(reply, result)
          : reply.send(answer.write(result, values));
      } finally {
        noteSubmission(call, context);
      }
    },
  });
}

/** The answer of an operation without JSON: a file, or nothing. */
interface FileAnswer {
  readonly file: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

function sendFile(reply: FastifyReply, result: unknown): FastifyReply {
  const { file, headers } = (result ?? {}) as Partial<FileAnswer>;
  if (file === undefined) return reply.send();
  return reply
    .headers({ ...headers })
    .type('application/octet-stream')
    .send(Buffer.from(file));
}

const bodyOf = (shape: Shape<unknown> | undefined, request: FastifyRequest): unknown => {
  if (shape === undefined) return undefined;
  const json = request.body as Json | undefined;
  if (json === undefined) throw new Unreadable('exhausted input');
  return readBody(shape, json);
};

function addList(
  app: FastifyInstance,
  operation: StreamOperation,
  { services, values, participant }: RouteOptions,
): void {
  app.get(routeOf(operation.path), async (_request, reply) =>
    reply.code(400).type('text/plain; charset=utf-8').send('Expected WebSocket Upgrade request'),
  );
  app.post(routeOf(operation.path), async (request, reply) => {
    const call = callOf(request);
    const query = queryOf(request.url, LIST_QUERY);
    const body = bodyOf(operation.body, request);
    const complete = new AbortController();
    const gone = AbortSignal.any([hungUp(reply), complete.signal]);
    const open = (stop: AbortSignal) => operation.run(services(), body, serviceCall(call, stop));
    const elements = await listOf(guardedStream(participant, call.token, { gone, open }), {
      limit: query.integer('limit'),
      idleMs: query.integer('stream_idle_timeout_ms'),
      isOpenEnded: operation.isOpenEnded(body),
      end: () => complete.abort(new Error('the list is complete')),
    });
    return elements.map((element) => operation.answer.write(element, values));
  });
}
