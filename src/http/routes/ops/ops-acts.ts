import { cancelChange } from '../../../app/desk/cancel-change.ts';
import { retryChange } from '../../../app/desk/retry-change.ts';
import { OPS_OPERATIONS, actionRoute } from '../../kit/address.ts';
import { prefixOf } from '../../kit/public-address.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { ReasonBody, changeIn, opsBody, reasonIn } from './ops-operation.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, lastingIo } from '../../kit/request-context.ts';
import { plain, recorded } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { IdParams } from '../../schemas.ts';

const TAG = 'ops';

function registerRetry(app: HttpApp, deps: HttpDeps): void {
  route(app, 'POST', actionRoute(OPS_OPERATIONS, 'retry'), {
    operationId: 'retryOpsOperation',
    summary: 'Retry an operation that ended without an effect',
    description:
      'Creates a new operation for the same party, with a commandId derived from the first. A request while a retry is in progress returns that retry.',
    tag: TAG,
    params: IdParams,
    body: ReasonBody('the participant is back'),
    reply: { 202: recorded('OpsOperation', 'The new operation') },
    problems: [400, 401, 403, 404, 409, 413, 415, 422, 503],
    handle: async (request, reply) => {
      const io = lastingIo(request);
      const { id } = await changeIn(deps, request, io);
      const act = { by: callerOf(request), reason: reasonIn(request) };
      const { change, replayed } = await retryChange(deps, id, act, io);
      if (replayed) void reply.header('idempotent-replayed', 'true');
      return reply
        .code(202)
        .header('location', `${prefixOf(request)}/${OPS_OPERATIONS}/${change.id}`)
        .send(await opsBody(deps, request, change, io));
    },
  });
}

function registerCancel(app: HttpApp, deps: HttpDeps): void {
  route(app, 'POST', actionRoute(OPS_OPERATIONS, 'cancel'), {
    operationId: 'cancelOpsOperation',
    summary: 'Cancel an operation before it takes effect',
    description:
      'Possible if the operation waits in the mailbox, or if every attempt was definitely refused and none is in progress.',
    tag: TAG,
    params: IdParams,
    body: ReasonBody('ordered by mistake'),
    reply: { 200: plain('OpsOperation', 'The operation as it is now') },
    problems: [400, 401, 403, 404, 409, 413, 415, 503],
    handle: async (request, reply) => {
      const io = lastingIo(request);
      const { id } = await changeIn(deps, request, io);
      const act = { by: callerOf(request), reason: reasonIn(request) };
      const change = await cancelChange(deps, id, act, io);
      return reply.send(await opsBody(deps, request, change, io));
    },
  });
}

/** Registers the routes by which an operator acts on one operation, except decisions. */
export function registerActs(app: HttpApp, deps: HttpDeps): void {
  registerRetry(app, deps);
  registerCancel(app, deps);
}
