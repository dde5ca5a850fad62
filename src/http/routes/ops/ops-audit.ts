import type { AuditPosition, LoggedAct } from '../../../app/desk/audit-log.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { readTimeAndId } from '../../kit/cursor.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { instantOrAge, member, one, sortOf, text } from '../../kit/filter-query.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { registerDeskList } from './desk-list.ts';
import { orderOf } from '../../kit/list-query.ts';

const ROW = /^\d{1,18}$/u;

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

/** Registers the list of the audit log: people's actions, with their reasons. */
export const registerAudit = (app: HttpApp, deps: HttpDeps): void =>
  registerDeskList(app, deps, {
    path: '/ops/audit',
    operationId: 'listAudit',
    summary: 'List the actions of people: the audit log',
    description: 'Rows are only added, and are kept for TENURE_KEEP_AUDIT_DAYS.',
    inOrder: 'The newest first, unless `sort` says otherwise',
    entry: 'AuditEntry',
    filter: {
      by: member(
        'subject',
        text('The identity that acted', 'c1f7d7b0-5f4e-4c7e-9d43-0e3b1f4b7a11'),
        one,
      ),
      act: member('act', text('The action', 'retried'), one),
      object: member(
        'object',
        text(
          'The object of the action: the ID of an operation or a bulk action, or kind and name',
          'failure:9f86d081884c7d65',
        ),
        one,
      ),
      since: member(
        'since',
        text('Not longer ago (ISO 8601 duration), or at or after (instant)', 'P1D'),
        instantOrAge,
      ),
      until: member(
        'until',
        text('Longer ago (ISO 8601 duration), or before (instant)', 'PT1H'),
        instantOrAge,
      ),
      sort: sortOf('-at', 'at'),
    },
    readKey(cursor): AuditPosition {
      const [at, id] = readTimeAndId(cursor, (row) => ROW.test(row));
      return { at, id: BigInt(id) };
    },
    keyOf: ({ entry, id }) => [entry.at, String(id)],
    bodyOf: auditBody,
    find: ({ scope, filter: { sort, ...filter }, page, io }) =>
      deps.desk.audit.list({ scope, ...filter, order: orderOf(sort), ...page }, io),
  });
