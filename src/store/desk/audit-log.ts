import type { InferResult, SqlBool } from 'kysely';
import { sql } from 'kysely';
import type { AuditLog, AuditQuery, LoggedAct } from '../../app/desk/audit-log.ts';
import type { Operation } from '../../domain/change.ts';
import { isUuid, trusted } from '../../domain/ids.ts';
import type { Ask } from '../sql/ask.ts';
import { auditFromRow } from '../rows/audit-row.ts';
import { beyond, build, wayOf } from '../sql/query.ts';

/** `a` is the row, `c` its change, and `p` the person behind the pseudonym, who is missing after an erasure. */
const AUDITED = build
  .selectFrom('audit as a')
  .leftJoin('change as c', 'c.id', 'a.change_id')
  .leftJoin('person as p', 'p.pseudonym', 'a.by_subject');

function logQuery(asked: AuditQuery) {
  const { scope, by, act, object, since, until, after, limit } = asked;
  let query = AUDITED.selectAll('a')
    .select(['c.command_id', 'c.lifecycle_id', 'p.subject as person'])
    .select((eb) => eb.ref('c.operation').$castTo<Operation | null>().as('operation'))
    .orderBy('a.at', wayOf(asked))
    .orderBy('a.id', wayOf(asked))
    .limit(limit);
  if (by !== undefined) {
    // The search term may also be a pseudonym itself: then it finds the rows with that pseudonym.
    const named = build.selectFrom('person').select('pseudonym').where('subject', '=', by);
    query = query.where((eb) => eb('a.by_subject', '=', by).or('a.by_subject', 'in', named));
  }
  if (act !== undefined) query = query.where('a.act', '=', act);
  if (since !== undefined) query = query.where('a.at', '>=', since);
  if (until !== undefined) query = query.where('a.at', '<', until);
  if (after !== undefined) {
    query = query.where(sql<SqlBool>`(a.at, a.id) ${beyond(asked)} (${after.at}, ${after.id})`);
  }
  if (object !== undefined) {
    // The ID may be that of a change or that of a bulk act.
    query = isUuid(object)
      ? query.where((eb) => eb('a.change_id', '=', object).or('a.subject', '=', `act:${object}`))
      : query.where('a.subject', '=', object);
  }
  // An index contains only the rows of this party, so the number of other rows does not matter.
  if (scope.of === 'caller') return query.where('a.of_party', '=', scope.party);
  return query.where((eb) =>
    eb
      .case()
      .when('a.change_id', 'is', null)
      .then(eb('a.by_party', '=', scope.party))
      .else(eb('c.provider', '=', scope.party))
      .end(),
  );
}

type LogRow = InferResult<ReturnType<typeof logQuery>>[number];

const loggedOf = (row: LogRow): LoggedAct => {
  const { change_id: id, command_id: commandId, operation, lifecycle_id: lifecycleId } = row;
  const isOfChange = id !== null && commandId !== null && operation !== null;
  return {
    id: row.id,
    entry: auditFromRow({ ...row, by_subject: row.person ?? row.by_subject }),
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

/** @param ask runs queries, on a replica if there is one */
export const createAuditLog = (ask: Ask): AuditLog => ({
  list: (query, io) =>
    ask(io, async (session) => (await session.ask(logQuery(query))).map(loggedOf)),
});
