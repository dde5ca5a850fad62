import type { Pool } from 'pg';
import type { AuditLog, AuditQuery, LoggedAct } from '../../app/desk/audit-log.ts';
import type { OpsScope } from '../../app/ports/ops-scope.ts';
import type { Operation } from '../../domain/change.ts';
import { trusted } from '../../domain/ids.ts';
import { ask, unnamed } from '../sql/ask.ts';
import { Parameters, changesInScope } from '../engine/ops-scope.ts';
import { auditFromRow } from '../rows/audit-row.ts';
import type { Row } from '../sql/schema.ts';

type LogRow = Row<'audit'> & {
  readonly command_id: string | null;
  readonly operation: Operation | null;
  readonly lifecycle_id: string | null;
};

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

/** What is named by an id alone may be a change or an act on many. */
function ofObject(object: string, parameters: Parameters): string {
  if (!UUID.test(object)) return `a.subject = ${parameters.add(object)}`;
  return `(a.change_id = ${parameters.add(object)} or a.subject = ${parameters.add(`act:${object}`)})`;
}

/** An operator of a party has its rows from their index, however much there is of others. */
const ofScope = (scope: OpsScope, parameters: Parameters): string =>
  scope.of === 'provider'
    ? `case when a.change_id is null then a.by_party = ${parameters.add(scope.party)} else ${changesInScope(scope, 'c', parameters)} end`
    : `a.of_party = ${parameters.add(scope.party)}`;

function logStatement({ scope, by, act, object, since, after, limit }: AuditQuery) {
  const parameters = new Parameters();
  const conditions = [
    ofScope(scope, parameters),
    ...(by === undefined ? [] : [`a.by_subject = ${parameters.add(by)}`]),
    ...(act === undefined ? [] : [`a.act = ${parameters.add(act)}`]),
    ...(object === undefined ? [] : [ofObject(object, parameters)]),
    ...(since === undefined ? [] : [`a.at >= ${parameters.add(since)}::timestamptz`]),
    ...(after === undefined
      ? []
      : [
          `(a.at, a.id) < (${parameters.add(after.at)}::timestamptz, ${parameters.add(after.id)}::bigint)`,
        ]),
  ];
  const text = `
    select a.*, c.command_id, c.operation, c.lifecycle_id
    from audit a left join change c on c.id = a.change_id
    where ${conditions.join(' and ')}
    order by a.at desc, a.id desc limit ${parameters.add(limit)}`;
  return { query: unnamed<LogRow>(text), values: parameters.values };
}

const loggedOf = (row: LogRow): LoggedAct => {
  const { change_id: id, command_id: commandId, operation, lifecycle_id: lifecycleId } = row;
  const isOfChange = id !== null && commandId !== null && operation !== null;
  return {
    id: row.id,
    entry: auditFromRow(row),
    change: isOfChange
      ? {
          id: trusted(id),
          commandId: trusted(commandId),
          operation,
          lifecycleId: lifecycleId === null ? null : trusted(lifecycleId),
        }
      : null,
  };
};

/** @param pool stays the caller's */
export const createAuditLog = (pool: Pool): AuditLog => ({
  list: (asked, io) =>
    ask(pool, io, async (session) => {
      const { query, values } = logStatement(asked);
      return (await session.run(query, values)).map(loggedOf);
    }),
});
