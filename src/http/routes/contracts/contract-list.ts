import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ContractModel } from '../../../app/contract/model.ts';
import type { Io } from '../../../app/ports/io.ts';
import type { ListQuery } from '../../../app/ports/views.ts';
import { listKeyOf } from '../../../app/ports/views.ts';
import type { Party } from '../../../domain/ids.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { templateFqn } from '../../../domain/ledger.ts';
import type { LicensingKind } from '../../../domain/licensing.ts';
import { LIFECYCLE_KINDS } from '../../../domain/licensing.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import {
  readContractCursor,
  readCursor,
  writeContractCursor,
  writeCursor,
} from '../../kit/cursor.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { invalid } from '../../kit/invalid.ts';
import type { Raw } from '../../kit/list-query.ts';
import { readLimit, readPaging, readSides, textOf } from '../../kit/list-query.ts';
import { linkNext } from '../../kit/listing.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, readIo } from '../../kit/request-context.ts';
import { pageOf } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { LIST_QUERY } from '../../schemas.ts';
import { contractBody, hasStake } from './contract-body.ts';

const ContractsQuery = Type.Object({
  template: Type.String({
    description:
      'The `templateId` of an answer, or its last parts: `Licensing.License:License`, or `License` alone',
    examples: ['License'],
  }),
  ...LIST_QUERY,
});

/** Returns the full name of the requested template. @throws ProblemError `REQUEST_INVALID` that lists all templates */
function readTemplate({ templates }: ContractModel, raw: Raw): string {
  const asked = textOf(raw, 'template')?.replace(/^#/u, '');
  const known = templates.map(templateFqn);
  const meant = known.find((fqn) => fqn === asked || fqn.endsWith(`:${asked}`));
  if (meant !== undefined) return meant;
  const names = templates.map(({ entityName }) => entityName).join(', ');
  return invalid(
    'template',
    asked === undefined ? `is needed: ${names}` : `must be one of ${names}`,
  );
}

interface Asked {
  readonly party: Party;
  readonly filters: Pick<ListQuery, 'other' | 'provider' | 'appUser'>;
  readonly limit: number;
  readonly raw: Raw;
  readonly io: Io;
}

interface Page {
  readonly bodies: readonly JsonRecord[];
  /** The cursor of the next page; `null` if this is the last page. */
  readonly next: string | null;
}

/** Reads contracts that represent lifecycles, in the order of lists of lifecycles. */
async function lifecyclePage(
  { store: { reads } }: HttpDeps,
  kind: LicensingKind,
  { party, filters, limit, raw, io }: Asked,
): Promise<Page> {
  const { limit: _size, ...position } = readPaging(raw, readCursor);
  const found = await reads.list({ kind, party, ...filters, ...position, limit: limit + 1 }, io);
  const shown = found.slice(0, limit).map(({ lifecycle }) => lifecycle);
  const contracts = await reads.activeContracts(
    shown.map(({ contractId }) => contractId),
    io,
  );
  const byId = new Map(contracts.map((contract) => [contract.contractId, contract]));
  const last = shown.at(-1);
  return {
    // Omits lifecycles that ended between the two reads.
    bodies: shown.flatMap((lifecycle) => {
      const contract = byId.get(lifecycle.contractId);
      const isShown = contract !== undefined && hasStake(contract, party);
      return isShown ? [contractBody(contract, lifecycle)] : [];
    }),
    next: found.length > limit && last !== undefined ? writeCursor(listKeyOf(last)) : null,
  };
}

/** Reads contracts of a template that represents no lifecycle, in the order of their creation. */
async function barePage(
  { store: { reads } }: HttpDeps,
  fqn: string,
  { party, filters, limit, raw, io }: Asked,
): Promise<Page> {
  const { limit: _size, ...position } = readPaging(raw, readContractCursor);
  const query = { templateFqn: fqn, party, ...filters, ...position, limit: limit + 1 };
  const found = await reads.contractsOfParty(query, io);
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return {
    bodies: shown.map((contract) => contractBody(contract, null)),
    next: found.length > limit && last !== undefined ? writeContractCursor(last) : null,
  };
}

async function listContracts(
  deps: HttpDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const raw = request.query as Raw;
  const fqn = readTemplate(deps.model, raw);
  const asked: Asked = {
    party: callerOf(request).party,
    filters: readSides(raw),
    limit: readLimit(raw) ?? HTTP_LIMITS.pageSize,
    raw,
    io: readIo(reply),
  };
  const kind = LIFECYCLE_KINDS.find((each) => templateFqn(deps.model.templateOf(each)) === fqn);
  const { bodies, next } =
    kind === undefined ? await barePage(deps, fqn, asked) : await lifecyclePage(deps, kind, asked);
  if (next !== null) linkNext(request, reply, next);
  return reply.send(bodies);
}

/** Registers the list of active contracts of one template. */
export function registerContractList(app: HttpApp, deps: HttpDeps): void {
  route(app, 'GET', '/contracts', {
    operationId: 'listContracts',
    summary: 'List the active contracts of a template, as their provider or user',
    description: `Without \`limit\` a page of ${HTTP_LIMITS.pageSize}. Contracts with a lifecycle have the order of the lifecycle list: by user, licence number and lifecycleId. Comments have the order of their creation.`,
    tag: 'contracts',
    query: ContractsQuery,
    reply: { 200: pageOf('Contract', 'A page of contracts, in the encoding of the query store') },
    problems: [400, 401, 406, 503],
    handle: async (request, reply) => listContracts(deps, request, reply),
  });
}
