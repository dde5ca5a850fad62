import type { SynchronizerPosition } from '../../../app/desk/desk.ts';
import { confirmAct } from '../../../app/desk/confirm-act.ts';
import { giveUpSynchronizer, requireGivable } from '../../../app/desk/give-up-synchronizer.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { OPS_SYNCHRONIZERS, collectionRoute } from '../../kit/address.ts';
import { CONFIRMATION } from '../../kit/confirmation.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { SYNCHRONIZER, giveUpAct } from './ops-previews.ts';
import { requireProvider } from './ops-access.ts';
import { reasonOf } from './ops-operation.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { readIo, lastingIo } from '../../kit/request-context.ts';
import { listOf, plain } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { closedObject } from '../../kit/schema.ts';

const TAG = 'ops';

const GiveUpBody = closedObject({
  ...SYNCHRONIZER,
  reason: reasonOf('the synchronizer was shut down'),
  confirmation: CONFIRMATION,
});

const synchronizerBody = ({
  participant,
  synchronizer,
  toldAt,
  givenUpAt,
}: SynchronizerPosition): JsonRecord => ({
  participant,
  synchronizer,
  toldAt,
  ...(givenUpAt === null ? {} : { givenUpAt }),
});

/**
 * Registers the routes that show how far participants have reported synchronizers, and that give up a synchronizer
 * which a participant has left.
 */
export function registerSynchronizers(app: HttpApp, deps: HttpDeps): void {
  route(app, 'GET', `/${OPS_SYNCHRONIZERS}`, {
    operationId: 'listSynchronizers',
    summary: 'List the times that each participant has reported for each synchronizer',
    description:
      'Tenure uses this time to prove that a submission can no longer take effect. For operators of the provider.',
    tag: TAG,
    reply: { 200: listOf('OpsSynchronizer', 'All of them') },
    problems: [401, 403, 406, 503],
    handle: async (request, reply) => {
      requireProvider(deps, request);
      const found = await deps.desk.upkeep.synchronizers(readIo(reply));
      return reply.send(found.map(synchronizerBody));
    },
  });
  route(app, 'POST', collectionRoute(OPS_SYNCHRONIZERS, 'give-up'), {
    operationId: 'giveUpSynchronizer',
    summary: 'Give up a synchronizer that a participant has left permanently',
    description:
      'No operation waits for the time of this synchronizer any more: Tenure assumes that unanswered submissions there took no effect. Refused while the participant is connected to the synchronizer or does not answer; a new connection restores the synchronizer. If all synchronizers of a participant are given up, Tenure uses its own time instead. For operators of the provider.',
    tag: TAG,
    body: GiveUpBody,
    reply: { 200: plain('OpsSynchronizer', 'It is given up') },
    problems: [400, 401, 403, 404, 409, 413, 415, 428, 503],
    handle: async (request, reply) => {
      const by = requireProvider(deps, request);
      const { reason, confirmation, ...asked } = request.body;
      const io = lastingIo(request);
      await requireGivable(deps, asked, io);
      const where = 'POST /ops/synchronizers:preview-give-up';
      await confirmAct(deps.previews, by, giveUpAct(asked), confirmation, where, io);
      const toldAt = await giveUpSynchronizer(deps, asked, { by, reason }, io);
      return reply.send(synchronizerBody({ ...asked, toldAt, givenUpAt: toldAt }));
    },
  });
}
