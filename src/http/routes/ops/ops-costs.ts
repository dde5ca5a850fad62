import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CostGroup, CostKey } from '../../../app/ports/costs.ts';
import { COST_GROUPINGS } from '../../../app/ports/costs.ts';
import { OPERATIONS } from '../../../domain/licensing.ts';
import { isPartyString } from '../../../domain/ids.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { foreign, parsed, written } from '../../kit/cursor.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { readPaging, readParty } from '../../kit/list-query.ts';
import type { Raw } from '../../kit/list-query.ts';
import { sendPage } from '../../kit/listing.ts';
import { opsScope } from './ops-access.ts';
import { anyOf, given, instantOrAge, several, text } from '../../kit/filter-query.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { readIo } from '../../kit/request-context.ts';
import { pageOf, problems } from '../../kit/responses.ts';
import { PagingQuery } from '../../schemas.ts';

const DAY = /^\d{4}-\d\d-\d\d$/u;

/** @throws ProblemError `REQUEST_INVALID` when Tenure cannot have written the cursor */
function readPosition(cursor: string): CostKey {
  const [day, word, party] = parsed(cursor);
  const operation = OPERATIONS.find((each) => each === word) ?? null;
  if (typeof day !== 'string' || typeof party !== 'string') return foreign();
  const isOurs =
    (day === '' || DAY.test(day)) &&
    (word === '' || operation !== null) &&
    (party === '' || isPartyString(party));
  if (!isOurs) return foreign();
  return { day: day === '' ? null : day, operation, party: isPartyString(party) ? party : null };
}

const costBody = ({ key, operations, attempts, bytes, unknown }: CostGroup): JsonRecord => ({
  ...(key.day === null ? {} : { day: key.day }),
  ...(key.operation === null ? {} : { operation: key.operation }),
  ...(key.party === null ? {} : { party: key.party }),
  operations,
  attempts,
  bytes: Number(bytes),
  unknown,
});

const CostsQuery = Type.Object({
  from: text('Accepted not longer ago (ISO 8601 duration), or at or after (instant)', 'P30D'),
  until: text('Accepted longer ago (ISO 8601 duration), or before (instant)', 'P1D'),
  party: text('Whom they are about, whoever asked', 'app_user_quickstart-root-1::1220aa01'),
  operation: several(OPERATIONS, 'Any of these'),
  groupBy: several(COST_GROUPINGS, 'What is added up apart; all of these unless told'),
  ...PagingQuery.properties,
});

/** Traffic costs. */
export function registerCosts(app: HttpApp, deps: HttpDeps): void {
  app.get(
    '/ops/costs',
    {
      config: { produces: 'application/json' },
      schema: {
        operationId: 'listCosts',
        summary: 'What operations have cost in traffic, by operation, party and day',
        description: `Of operations accepted in the last ${HTTP_LIMITS.costsDays} days unless \`from\` says otherwise; the newest day first, by UTC. Attempts of which the ledger does not say what they cost are \`unknown\`, not free.`,
        tags: ['ops'],
        querystring: CostsQuery,
        response: {
          200: pageOf('Cost', 'A page of them'),
          ...problems(400, 401, 403, 406, 422, 503),
        },
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const raw = request.query as Raw;
      const nowMs = deps.wallClock.nowMs();
      const { limit, ...position } = readPaging(raw, readPosition);
      const size = limit ?? HTTP_LIMITS.opsPageSize;
      const ago = { from: `P${HTTP_LIMITS.costsDays}D`, until: 'PT0S' };
      const query = {
        scope: opsScope(deps, request),
        from: instantOrAge(raw, 'from', nowMs) ?? instantOrAge(ago, 'from', nowMs) ?? '',
        until: instantOrAge(raw, 'until', nowMs) ?? instantOrAge(ago, 'until', nowMs) ?? '',
        ...given({
          party: readParty(raw, 'party'),
          operations: anyOf(raw, 'operation', OPERATIONS),
        }),
        by: anyOf(raw, 'groupBy', COST_GROUPINGS) ?? COST_GROUPINGS,
        ...position,
        limit: size + 1,
      };
      const found = await deps.desk.costs.list(query, readIo(reply));
      return sendPage(request, reply, {
        found,
        limit: size,
        cursorOf: ({ key }) => written([key.day ?? '', key.operation ?? '', key.party ?? '']),
        bodyOf: costBody,
      });
    },
  );
}
