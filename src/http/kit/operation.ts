import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OperationView } from '../../app/desk/operation-view.ts';
import { viewOperation } from '../../app/desk/operation-view.ts';
import type { Io } from '../../app/ports/io.ts';
import type { Change } from '../../domain/change.ts';
import type { Json, JsonRecord } from '../../domain/json.ts';
import { accepts } from './accept.ts';
import { prefixOf } from './public-address.ts';
import type { HttpDeps } from './deps.ts';
import { problemBody } from './problem.ts';
import { loggedError } from './request-log.ts';

/** Returns the address of an operation. Command IDs may contain `/`, `#` and spaces. */
export function operationPath(request: FastifyRequest, commandId: string): string {
  const list = `${prefixOf(request)}/operations`;
  const id = encodeURIComponent(commandId);
  // Many proxies decode %2F in a path, but not in a query.
  return commandId.includes('/') ? `${list}?commandId=${id}` : `${list}/${id}`;
}

/** An operation as callers read it. A failure has the same problem as the answer to the original call. */
export function operationBody(request: FastifyRequest, view: OperationView): JsonRecord {
  const { error, result, waitingFor, ...rest } = view;
  const place = {
    instance: operationPath(request, view.commandId),
    prefix: prefixOf(request),
    traceId: request.id,
    commandId: view.commandId,
  };
  return {
    ...(rest as unknown as JsonRecord),
    ...(waitingFor === undefined ? {} : { waitingFor }),
    ...(result === undefined ? {} : { result: result as unknown as JsonRecord }),
    ...(error === undefined ? {} : { error: problemBody(error, place) }),
  };
}

/** The view of a change without its attempts, used if they cannot be read. */
const bareView = (change: Change): OperationView => ({
  id: change.id,
  commandId: change.commandId,
  operation: change.operation,
  lifecycleId: change.lifecycleId,
  state: change.state,
  acceptedAt: change.acceptedAt,
  attempts: [],
});

/**
 * Answers `202` for a change that continues although its caller no longer waits. The change is already recorded, so
 * this answer is sent even if the database has become unreachable.
 */
export async function answerAccepted(
  deps: HttpDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  change: Change,
  io: Io,
): Promise<FastifyReply> {
  const view = await viewOperation(deps.store.reads, change, io).catch((error: unknown) => {
    request.log.warn(
      { error: loggedError(error) },
      'the operation was answered without its attempts',
    );
    return bareView(change);
  });
  return reply
    .code(202)
    .header('location', operationPath(request, change.commandId))
    .send(operationBody(request, view));
}

/** Sends the recorded answer of a successful change. A caller that does not accept text gets the text as JSON. */
export function answerResult(reply: FastifyReply, status: number, body: Json): FastifyReply {
  void reply.code(status);
  if (body === null) return reply.send();
  if (typeof body !== 'string') return reply.send(body);
  if (accepts(reply.request.headers.accept, 'text/plain')) {
    // The spelling of the reference application, without a space, because some of its clients compare it.
    return reply.type('text/plain;charset=UTF-8').send(body);
  }
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(body));
}
