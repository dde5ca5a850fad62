import type { TSchema } from '@fastify/type-provider-typebox';
import type { CostGroup, CostKey } from '../../../app/ports/costs.ts';
import { COST_GROUPINGS } from '../../../app/ports/costs.ts';
import { OPERATIONS } from '../../../domain/licensing.ts';
import { isPartyString } from '../../../domain/ids.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { foreign, parsed } from '../../kit/cursor.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import type { Member } from '../../kit/filter-query.ts';
import { instantOrAge, member, text, wordsOf, sortOf } from '../../kit/filter-query.ts';
import { readParty } from '../../kit/list-query.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { registerDeskList } from './desk-list.ts';

const DAY = /^\d{4}-\d\d-\d\d$/u;

/** @throws ProblemError `REQUEST_INVALID` if Tenure cannot have issued the cursor */
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

/** Returns the member of the filter that is a time. Its default is the duration `usual` before now. */
const ageOr = (usual: string, name: string, schema: TSchema): Member<string> =>
  member(
    name,
    schema,
    (raw, _name, nowMs) =>
      instantOrAge(raw, name, nowMs) ?? instantOrAge({ [name]: usual }, name, nowMs),
  );

const costBody = ({ key, operations, attempts, bytes, unknown }: CostGroup): JsonRecord => ({
  ...(key.day === null ? {} : { day: key.day }),
  ...(key.operation === null ? {} : { operation: key.operation }),
  ...(key.party === null ? {} : { party: key.party }),
  operations,
  attempts,
  bytes: Number(bytes),
  unknown,
});

/** Registers the list of costs: the traffic that was paid to the network. */
export const registerCosts = (app: HttpApp, deps: HttpDeps): void =>
  registerDeskList(app, deps, {
    path: '/ops/costs',
    operationId: 'listCosts',
    summary: 'Sum the traffic cost of operations, by operation, party and day',
    description: `Includes operations accepted in the last ${HTTP_LIMITS.costsDays} days, unless \`since\` is given; days are in UTC. Attempts without a reported cost count as \`unknown\`, not as free.`,
    entry: 'Cost',
    inOrder: 'The newest day first',
    filter: {
      sort: sortOf('-day'),
      from: ageOr(
        `P${HTTP_LIMITS.costsDays}D`,
        'since',
        text('Accepted not longer ago (ISO 8601 duration), or at or after (instant)', 'P30D'),
      ),
      until: ageOr(
        'PT0S',
        'until',
        text('Accepted longer ago (ISO 8601 duration), or before (instant)', 'P1D'),
      ),
      party: member(
        'party',
        text('The party that the operations concern', 'app_user_quickstart-root-1::1220aa01'),
        readParty,
      ),
      operations: wordsOf('operation', OPERATIONS, 'Any of these'),
      by: wordsOf('groupBy', COST_GROUPINGS, 'The groups of the sums; by default all'),
    },
    readKey: readPosition,
    keyOf: ({ key }) => [key.day ?? '', key.operation ?? '', key.party ?? ''],
    bodyOf: costBody,
    find: ({
      scope,
      filter: { from = '', until = '', by = COST_GROUPINGS, ...filter },
      page,
      io,
    }) => deps.desk.costs.list({ scope, from, until, by, ...filter, ...page }, io),
  });
