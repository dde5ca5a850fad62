import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { viewOperation } from '../../../app/desk/operation-view.ts';
import { isLedgerString, trusted } from '../../../domain/ids.ts';
import type { CommandId } from '../../../domain/ids.ts';
import { fail } from '../../../domain/problems.ts';
import { givenCommandId } from '../../kit/command-id.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { operationBody } from '../../kit/operation.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, readIo } from '../../kit/request-context.ts';
import { plain } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';

const TAG = 'operations';

const commandId = Type.String({ examples: ['accept-1'] });

async function answer(
  deps: HttpDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  asked: string,
): Promise<FastifyReply> {
  const io = readIo(reply);
  const { reads } = deps.store;
  const { party } = callerOf(request);
  // A text that is not a ledger string cannot be an accepted command ID.
  const found = isLedgerString(asked)
    ? await reads.changesByCommand(trusted<CommandId>(asked), party, io)
    : [];
  const [change] = found;
  if (change === undefined) {
    return fail('OPERATION_NOT_FOUND', `Operation not found for commandId ${asked}`);
  }
  request.commandId = change.commandId;
  return reply.send(operationBody(request, await viewOperation(reads, change, io)));
}

/** Registers the route by which callers read operations. A caller sees only the operations of its own party. */
export function registerOperations(app: HttpApp, deps: HttpDeps): void {
  route(app, 'GET', '/operations/:commandId', {
    operationId: 'getOperation',
    summary: 'Read an operation with its outcome and all attempts',
    description: 'If two acting parties have used the same commandId, returns the newer operation.',
    tag: TAG,
    params: Type.Object({ commandId }),
    reply: { 200: plain('Operation', 'The operation') },
    problems: [401, 404, 406, 503],
    handle: async (request, reply) => {
      const { commandId: asked } = request.params;
      return answer(deps, request, reply, asked);
    },
  });
  route(app, 'GET', '/operations', {
    operationId: 'findOperation',
    summary: 'Read an operation by query parameter, for proxies that reject %2F in a path',
    tag: TAG,
    query: Type.Object({ commandId }),
    reply: { 200: plain('Operation', 'The operation') },
    problems: [400, 401, 404, 406, 503],
    handle: async (request, reply) => {
      const { commandId: asked } = request.query;
      return answer(deps, request, reply, givenCommandId(asked));
    },
  });
}
