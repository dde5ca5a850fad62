import { confirmAct } from '../../../app/desk/confirm-act.ts';
import { decideDoubt } from '../../../app/desk/decide-doubt.ts';
import type { UpdateId } from '../../../domain/ids.ts';
import { trusted } from '../../../domain/ids.ts';
import { OPS_OPERATIONS, actionRoute } from '../../kit/address.ts';
import { CONFIRMATION } from '../../kit/confirmation.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { opsScope } from './ops-access.ts';
import { needPermission } from '../../kit/permissions.ts';
import { changeIn, opsBody, reasonOf } from './ops-operation.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, readIo, lastingIo, isSafeMethod } from '../../kit/request-context.ts';
import { plain } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { closedObject } from '../../kit/schema.ts';
import { IdParams } from '../../schemas.ts';
import { registerActs } from './ops-acts.ts';
import { registerAttention } from './ops-attention.ts';
import { registerAudit } from './ops-audit.ts';
import { registerOpsOperations } from './ops-operations.ts';
import { registerBulk } from './ops-bulk.ts';
import { registerCosts } from './ops-costs.ts';
import { registerFailures } from './ops-failures.ts';
import { registerLifecycles } from './ops-lifecycles.ts';
import { registerPauses } from './ops-pauses.ts';
import { registerSessions } from './ops-sessions.ts';
import { DECISION, decisionAct, registerActPreviews, requireDecision } from './ops-previews.ts';
import { registerQueueBoard } from './ops-queue.ts';
import { registerQuotas } from './ops-quotas.ts';
import { registerTimers } from './ops-timers.ts';
import { registerSynchronizers } from './ops-synchronizers.ts';
import { registerUpkeep } from './ops-upkeep.ts';
import { registerWaiting } from './ops-waiting.ts';
import { Summaries } from './summaries.ts';

const TAG = 'ops';

function registerOne(app: HttpApp, deps: HttpDeps): void {
  route(app, 'GET', `/${OPS_OPERATIONS}/:id`, {
    operationId: 'getOpsOperation',
    summary: 'Read one operation by its ID, of any caller',
    tag: TAG,
    params: IdParams,
    reply: { 200: plain('OpsOperation', 'The operation') },
    problems: [400, 401, 403, 404, 406, 503],
    handle: async (request, reply) => {
      const io = readIo(reply);
      return reply.send(await opsBody(deps, request, await changeIn(deps, request, io), io));
    },
  });
}

const DecideBody = closedObject({
  ...DECISION,
  reason: reasonOf('no update with its workflow ID between offsets 120 and 240'),
  confirmation: CONFIRMATION,
});

function registerDecide(app: HttpApp, deps: HttpDeps): void {
  route(app, 'POST', actionRoute(OPS_OPERATIONS, 'decide'), {
    operationId: 'decideOpsOperation',
    summary: 'Decide an operation in doubt, so that its mailbox continues',
    tag: TAG,
    params: IdParams,
    body: DecideBody,
    reply: { 200: plain('OpsOperation', 'The operation as it is now') },
    problems: [400, 401, 403, 404, 409, 413, 415, 428, 503],
    handle: async (request, reply) => {
      const { decision, reason, updateId, confirmation } = request.body;
      requireDecision(request.body);
      const io = lastingIo(request);
      const found = await changeIn(deps, request, io);
      const { id } = found;
      const act = decisionAct(found, request.body);
      const where = `POST /ops/operations/${id}:preview-decide`;
      await confirmAct(deps.previews, callerOf(request), act, confirmation, where, io);
      const named = updateId === undefined ? {} : { updateId: trusted<UpdateId>(updateId) };
      const asked = { changeId: id, decision, reason, ...named };
      const change = await decideDoubt(deps, callerOf(request), asked, io);
      return reply.send(await opsBody(deps, request, change, io));
    },
  });
}

/** Registers the operations desk. For what each operator sees, see `app/ports/ops-scope.ts`. */
export async function registerOps(app: HttpApp, deps: HttpDeps): Promise<void> {
  await app.register(async (desk: HttpApp) => {
    const summaries = new Summaries();
    needPermission(desk, 'operate');
    desk.addHook('onSend', async (request) => {
      if (request.caller !== null && !isSafeMethod(request.method))
        summaries.forget(opsScope(deps, request));
    });
    registerAttention(desk, deps, summaries);
    registerOpsOperations(desk, deps, summaries);
    registerWaiting(desk, deps);
    registerOne(desk, deps);
    registerDecide(desk, deps);
    registerActPreviews(desk, deps);
    registerActs(desk, deps);
    registerPauses(desk, deps);
    registerTimers(desk, deps);
    registerBulk(desk, deps);
    registerCosts(desk, deps);
    registerQuotas(desk, deps, summaries);
    registerFailures(desk, deps);
    registerLifecycles(desk, deps);
    registerUpkeep(desk, deps);
    registerSynchronizers(desk, deps);
    registerAudit(desk, deps);
    registerSessions(desk, deps);
    registerQueueBoard(desk, deps);
  });
}
