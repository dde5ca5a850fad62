import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuditPosition, LoggedAct } from '../../../app/desk/audit-log.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { isUtcInstant } from '../../../domain/time.ts';
import { foreign, parsed, written } from '../../kit/cursor.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { readPaging } from '../../kit/list-query.ts';
import type { Raw } from '../../kit/list-query.ts';
import { sendPage } from '../../kit/listing.ts';
import { opsScope } from './ops-access.ts';
import { given, instantOrAge, one } from '../../kit/filter-query.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { readIo } from '../../kit/request-context.ts';
import { pageOf, problems } from '../../kit/responses.ts';
import { PagingQuery } from '../../schemas.ts';

const ROW = /^\d{1,18}$/u;

/** @throws ProblemError `REQUEST_INVALID` when Tenure cannot have written the cursor */
function readPosition(cursor: string): AuditPosition {
  const [at, id] = parsed(cursor);
  const isOurs =
    typeof at === 'string' && isUtcInstant(at) && typeof id === 'string' && ROW.test(id);
  return isOurs ? { at, id: BigInt(id) } : foreign();
}

function auditBody({ id, entry, change }: LoggedAct): JsonRecord {
  const { at, byParty, bySubject, act, from, to, reason, detail } = entry;
  return {
    id: Number(id),
    at,
    byParty,
    bySubject,
    act,
    object: change?.id ?? entry.subject ?? '',
    reason,
    ...(from === null ? {} : { from }),
    ...(to === null ? {} : { to }),
    ...(change === null ? {} : { operation: { ...change } }),
    detail,
  };
}

const text = (description: string, example: string) =>
  Type.Optional(
    Type.String({ description, examples: [example], maxLength: HTTP_LIMITS.pathIdCharsMax }),
  );

const AuditQuery = Type.Object({
  by: text('The identity that acted', 'c1f7d7b0-5f4e-4c7e-9d43-0e3b1f4b7a11'),
  act: text('What was done', 'retried'),
  object: text(
    'What it was done to: the id of an operation or of an act on many, or kind and name',
    'failure:9f86d081884c7d65',
  ),
  since: text('Not longer ago (ISO 8601 duration), or at or after (instant)', 'P1D'),
  ...PagingQuery.properties,
});

/** The acts of persons, with their reasons. */
export function registerAudit(app: HttpApp, deps: HttpDeps): void {
  app.get(
    '/ops/audit',
    {
      config: { produces: 'application/json' },
      schema: {
        operationId: 'listAudit',
        summary: 'What persons did: to operations, and besides',
        description: `The newest first; ${HTTP_LIMITS.opsPageSize} of them unless \`limit\` says otherwise. Rows are only added, and are kept for TENURE_KEEP_AUDIT_DAYS.`,
        tags: ['ops'],
        querystring: AuditQuery,
        response: {
          200: pageOf('AuditEntry', 'A page of them'),
          ...problems(400, 401, 403, 406, 422, 503),
        },
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const raw = request.query as Raw;
      const { limit, ...position } = readPaging(raw, readPosition);
      const size = limit ?? HTTP_LIMITS.opsPageSize;
      const query = {
        scope: opsScope(deps, request),
        ...given({
          by: one(raw, 'by'),
          act: one(raw, 'act'),
          object: one(raw, 'object'),
          since: instantOrAge(raw, 'since', deps.wallClock.nowMs()),
        }),
        ...position,
        limit: size + 1,
      };
      const found = await deps.desk.audit.list(query, readIo(reply));
      return sendPage(request, reply, {
        found,
        limit: size,
        cursorOf: ({ entry, id }) => written([entry.at, String(id)]),
        bodyOf: auditBody,
      });
    },
  );
}
