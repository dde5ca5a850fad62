import { Type } from '@fastify/type-provider-typebox';
import { seatlessSince } from '../../../domain/license-validation.ts';
import { fail } from '../../../domain/problems.ts';
import { contractRoute } from '../../kit/address.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { isStorable } from '../../kit/json-body.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, lastingIo, readIo } from '../../kit/request-context.ts';
import { LICENSES } from '../../kit/resources.ts';
import { listOf } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { ContractParams } from '../../schemas.ts';
import { licenseIn } from './license-in.ts';

const TAG = 'validation';
const PATH = contractRoute(LICENSES.path, '/machines');

/** Registers the routes of a licence's machines, for its parties. Programs activate and release them with a key. */
export function registerLicenseMachines(app: HttpApp, deps: HttpDeps): void {
  route(app, 'GET', PATH, {
    operationId: 'listLicenseMachines',
    summary: 'The machines that hold seats of a licence',
    tag: TAG,
    params: ContractParams,
    reply: { 200: listOf('LicenseMachine', 'The oldest activation first') },
    problems: [400, 401, 404, 406, 503],
    handle: async (request, reply) => {
      const { lifecycleId, terms } = await licenseIn(deps, request, reply);
      const staleAt = seatlessSince(terms, deps.ledgerClock.nowMs());
      const { machines } = deps.validation;
      return reply.send(await machines.list(lifecycleId, staleAt, readIo(reply)));
    },
  });
  route(app, 'DELETE', `${PATH}/:machineId`, {
    operationId: 'removeLicenseMachine',
    summary: 'Free the seat of a machine, as either party',
    tag: TAG,
    params: Type.Object({ ...ContractParams.properties, machineId: Type.String() }),
    reply: { 204: { description: 'The machine holds no seat', type: 'null' } },
    problems: [400, 401, 404, 503],
    produces: null,
    handle: async (request, reply) => {
      const { machineId } = request.params;
      const { lifecycleId } = await licenseIn(deps, request, reply);
      const { machines } = deps.validation;
      const isFound =
        isStorable(machineId) &&
        (await machines.remove(lifecycleId, machineId, callerOf(request), lastingIo(request)));
      if (!isFound) fail('NOT_FOUND', 'no machine of this licence has this id');
      return reply.code(204).send();
    },
  });
}
