import type { Static } from '@fastify/type-provider-typebox';
import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasRole } from '../../../app/engine/lanes/allowed.ts';
import { meaningOf } from '../../../app/engine/lanes/choices.ts';
import type { Io } from '../../../app/ports/io.ts';
import type { ContractView } from '../../../app/ports/views.ts';
import type { Change, ChangeResult } from '../../../domain/change.ts';
import { isContractId } from '../../../domain/ids.ts';
import type { Json } from '../../../domain/json.ts';
import type { Lifecycle } from '../../../domain/lifecycle.ts';
import { fail } from '../../../domain/problems.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { contractRoute, readId } from '../../kit/address.ts';
import { answerChange, commandIdOf } from '../../kit/answer-change.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { entityTag } from '../../kit/request-headers.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, readIo } from '../../kit/request-context.ts';
import { oneOrKnown, writeResponses, done } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { optionalText } from '../../kit/schema.ts';
import { ContractParams, StepHeaders, WriteQuery } from '../../schemas.ts';
import { contractBody, hasStake } from './contract-body.ts';
import { registerContractList } from './contract-list.ts';

const TAG = 'contracts';

const notFound = (id: string): never => fail('NOT_FOUND', `Contract not found for contract ${id}`);

interface Found {
  readonly contract: ContractView | null;
  /** The lifecycle that the contract represents; `null` if it represents none. */
  readonly lifecycle: Lifecycle | null;
}

async function lookUp(deps: HttpDeps, id: string, io: Io): Promise<Found> {
  const { reads } = deps.store;
  const view = await reads.lifecycle(id, io);
  const lifecycle = view?.lifecycle ?? null;
  const contractId = isContractId(id) ? id : lifecycle?.contractId;
  return {
    contract: contractId === undefined ? null : await reads.contract(contractId, io),
    lifecycle,
  };
}

function registerOne(app: HttpApp, deps: HttpDeps): void {
  route(app, 'GET', contractRoute(TAG), {
    operationId: 'getContract',
    summary: 'Read one contract of the query store, as a signatory or observer',
    description:
      'Ended contracts can be read too. A lifecycleId returns the current contract of the lifecycle.',
    tag: TAG,
    params: ContractParams,
    reply: { ...oneOrKnown('Contract', 'In the query store’s encoding') },
    problems: [400, 401, 404, 406, 503],
    handle: async (request, reply) => {
      const id = readId(request);
      const { contract, lifecycle } = await lookUp(deps, id, readIo(reply));
      // Unknown contracts and contracts of others get the same answer.
      if (contract === null || !hasStake(contract, callerOf(request).party)) return notFound(id);
      if (lifecycle !== null) void reply.header('etag', entityTag(lifecycle.version));
      return reply.send(contractBody(contract, lifecycle));
    },
  });
}

const ExerciseBody = Type.Object({
  choice: Type.String({ examples: ['License_Expire'] }),
  argument: Type.Unsafe<Json>({
    description:
      'In the encoding of the query store. Values that Tenure fills in may be left out; given values must be the ones that Tenure would send.',
    examples: [{ meta: { values: { reason: 'test' } } }],
  }),
  commandId: optionalText('Where it is not a query parameter', 'expire-1'),
});

/** Returns the body with the result of the choice. It replaces the answer that the choice's own route would give. */
function exercisedBody(
  { acceptance }: Change,
  { exercised }: ChangeResult,
): Pick<ChangeResult, 'status' | 'body'> {
  const { updateId, offset, result } = exercised ?? {};
  return {
    status: 200,
    body: {
      updateId: updateId ?? acceptance?.updateId ?? null,
      offset: offset ?? Number(acceptance?.offset ?? 0n),
      result: result ?? null,
    },
  };
}

async function exercise(
  deps: HttpDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { choice, argument, commandId: inBody } = request.body as Static<typeof ExerciseBody>;
  const commandId = commandIdOf(request, inBody);
  request.commandId = commandId;
  const id = readId(request);
  const { contract, lifecycle } = await lookUp(deps, id, readIo(reply));
  const { party } = callerOf(request);
  const isVisible =
    lifecycle === null
      ? contract !== null && hasStake(contract, party)
      : hasRole(lifecycle, 'either', party);
  if (!isVisible) return notFound(id);
  const meaning = meaningOf(deps.model, lifecycle, choice, argument);
  return answerChange(deps, request, reply, {
    ...meaning,
    target: id,
    commandId,
    answer: exercisedBody,
  });
}

function registerExercise(app: HttpApp, deps: HttpDeps): void {
  route(app, 'POST', contractRoute(TAG, '/exercise'), {
    operationId: 'exerciseChoice',
    summary: 'Exercise a choice, with the names and values of the ledger',
    description:
      'Makes the same change as the route of the step, with the same order, rights and refusals. A change with the same commandId and values is a repetition through either route. The operation shows the answer of the route of the step.',
    tag: TAG,
    params: ContractParams,
    query: WriteQuery,
    headers: StepHeaders,
    body: ExerciseBody,
    reply: { 200: done('Exercised', 'The result of the choice'), ...writeResponses(403, 404, 412) },
    bodyLimit: HTTP_LIMITS.metadataBodyBytesMax,
    handle: async (request, reply) => exercise(deps, request, reply),
  });
}

/** Registers the routes of contracts and choices under the Ledger API's names, for clients that know no others. */
export function registerContracts(app: HttpApp, deps: HttpDeps): void {
  registerContractList(app, deps);
  registerOne(app, deps);
  registerExercise(app, deps);
}
