import type { Pool } from 'pg';
import type {
  FailureAct,
  FailureGroup,
  FailureList,
  FailureQuery,
  FailureState,
} from '../../app/desk/failure-list.ts';
import type { OpsScope } from '../../app/ports/ops-scope.ts';
import type { ChangeState } from '../../domain/change.ts';
import type { AnswerClass } from '../../domain/answer.ts';
import { trusted } from '../../domain/ids.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { ProblemCode } from '../../domain/problems.ts';
import { ask, unnamed } from '../sql/ask.ts';
import { sendAudit } from '../engine/audit.ts';
import { Parameters, finishedInScope } from '../engine/ops-scope.ts';
import type { Session } from '../sql/session.ts';
import { statement } from '../sql/statement.ts';
import { transact } from '../sql/transact.ts';

/*
 * Kinds of failures are few, and the changes of each are one stretch of an index in order of their acceptance: its ends
 * are looked up, and what is between them is counted, up to a bound, for those on the page alone.
 */

interface GroupRow {
  readonly fingerprint: string;
  readonly operation: string;
  readonly state: ChangeState;
  readonly code: ProblemCode;
  readonly ledger_code: string | null;
  readonly class: AnswerClass | null;
  readonly explanation: string;
  readonly standing: FailureState;
  readonly n: bigint;
  readonly first_at: string;
  readonly last_at: string;
  readonly example_id: string;
  readonly command_id: string;
  readonly lifecycle_id: string | null;
  readonly app_user: string;
  readonly decided: Exclude<FailureState, 'open'> | null;
  readonly decided_at: string | null;
  readonly by_subject: string | null;
  readonly reason: string | null;
  readonly reopened_at: string | null;
}

const FAILURE = ['fingerprint', 'operation', 'state', 'code', 'ledger_code', 'class', 'explanation']
  .map((column) => `f.${column}`)
  .join(', ');

/** Changes `c` of the failure `f` that are in scope. */
const ofFailure = (scope: OpsScope, parameters: Parameters): string =>
  [
    'c.finished_at is not null',
    'c.outcome = f.fingerprint',
    finishedInScope(scope, 'c', parameters),
  ].join(' and ');

interface GroupQuery extends FailureQuery {
  readonly fingerprint?: string;
}

function conditionsOf(query: GroupQuery, parameters: Parameters): string[] {
  const { fingerprint, state, operation, code, after } = query;
  return [
    ...(fingerprint === undefined ? [] : [`f.fingerprint = ${parameters.add(fingerprint)}`]),
    ...(state === undefined ? [] : [`said.standing = ${parameters.add(state)}`]),
    ...(operation === undefined ? [] : [`f.operation = ${parameters.add(operation)}`]),
    ...(code === undefined ? [] : [`${parameters.add(code)} in (f.code, f.ledger_code)`]),
    ...(after === undefined
      ? []
      : [
          `(last.accepted_at, f.fingerprint) < (${parameters.add(after.lastAt)}::timestamptz, ${parameters.add(after.fingerprint)})`,
        ]),
  ];
}

function groupsStatement(query: GroupQuery) {
  const parameters = new Parameters();
  const changes = ofFailure(query.scope, parameters);
  const party = parameters.add(query.scope.party);
  const conditions = ['true', ...conditionsOf(query, parameters)].join(' and ');
  const end = (way: 'asc' | 'desc', columns: string): string =>
    `select ${columns} from change c where ${changes} order by c.accepted_at ${way}, c.id ${way} limit 1`;
  const text = `
    select ${FAILURE}, f.standing, f.last_at, f.example_id, f.command_id, f.lifecycle_id, f.app_user,
           f.decided, f.decided_at, f.by_subject, f.reason, f.reopened_at,
           first.accepted_at as first_at, size.n
    from (
      select ${FAILURE}, said.standing, last.accepted_at as last_at, last.id as example_id, last.command_id,
             last.lifecycle_id, last.app_user, d.state as decided, d.at as decided_at, d.by_subject, d.reason, d.reopened_at
      from failure f
        left join failure_decision d on d.fingerprint = f.fingerprint and d.party = ${party}
        cross join lateral (
          select case when d.state is null or d.reopened_at is not null then 'open' else d.state end as standing
        ) said
        cross join lateral (${end('desc', 'c.accepted_at, c.id, c.command_id, c.lifecycle_id, c.app_user')}) last
      where ${conditions}
      order by last.accepted_at desc, f.fingerprint desc limit ${parameters.add(query.limit)}
    ) f
      cross join lateral (${end('asc', 'c.accepted_at')}) first
      cross join lateral (
        select count(*) as n from (
          select from change c where ${changes} limit ${parameters.add(LIMITS.countMax + 1)}
        ) x
      ) size
    order by f.last_at desc, f.fingerprint desc`;
  return { query: unnamed<GroupRow>(text), values: parameters.values };
}

function decisionOf(row: GroupRow): FailureGroup['decision'] {
  const { decided, decided_at: at, by_subject: bySubject, reason, reopened_at: reopenedAt } = row;
  if (decided === null || at === null || bySubject === null || reason === null) return null;
  return { state: decided, at, bySubject, reason, reopenedAt };
}

const groupOf = (row: GroupRow): FailureGroup => ({
  failure: {
    fingerprint: row.fingerprint,
    operation: row.operation,
    state: row.state,
    code: row.code,
    ledgerCode: row.ledger_code,
    class: row.class,
    explanation: row.explanation,
  },
  state: row.standing,
  count: {
    count: Math.min(Number(row.n), LIMITS.countMax),
    more: row.n > BigInt(LIMITS.countMax),
  },
  firstAt: row.first_at,
  lastAt: row.last_at,
  example: {
    id: trusted(row.example_id),
    commandId: trusted(row.command_id),
    lifecycleId: row.lifecycle_id === null ? null : trusted(row.lifecycle_id),
    appUser: trusted(row.app_user),
  },
  decision: decisionOf(row),
});

async function groups(session: Session, asked: GroupQuery): Promise<FailureGroup[]> {
  const { query, values } = groupsStatement(asked);
  return (await session.run(query, values)).map(groupOf);
}

/** One after the other: what is said of a failure, and what it was before. Changes go on failing meanwhile. */
const LOCK = statement<never>(
  'lock-failure',
  'select from failure where fingerprint = $1 for no key update',
);

/** Those that fail are before what is said now, or come after it and see it. */
const HOLD_BACK = statement<never>(
  'hold-back-failure',
  'select from failure where fingerprint = $1 for update',
);

const DECIDE = statement<never>(
  'decide-failure',
  `insert into failure_decision (fingerprint, party, state, at, by_subject, reason) values ($1, $2, $3, now(), $4, $5)
   on conflict (fingerprint, party) do update
   set state = excluded.state, at = excluded.at, by_subject = excluded.by_subject, reason = excluded.reason,
       reopened_at = null`,
);

const REOPEN = statement<never>(
  'reopen-failure',
  'delete from failure_decision where fingerprint = $1 and party = $2',
);

const BECOMES: Readonly<Record<FailureAct, FailureState>> = {
  resolve: 'resolved',
  ignore: 'ignored',
  reopen: 'open',
};

/** @param pool opened with `pipelined`; stays the caller's */
export function createFailureList(pool: Pool): FailureList {
  return {
    list: (query, io) => ask(pool, io, (session) => groups(session, query)),
    act: (scope, fingerprint, { act, by, reason }, io) =>
      transact(pool, io, async (session) => {
        await session.run(LOCK, [fingerprint]);
        const [before] = await groups(session, { scope, fingerprint, limit: 1 });
        if (before === undefined) return null;
        session.send(HOLD_BACK, [fingerprint]);
        const to = BECOMES[act];
        if (to === 'open') session.send(REOPEN, [fingerprint, by.party]);
        else session.send(DECIDE, [fingerprint, by.party, to, by.subject, reason]);
        const { operation, code, ledgerCode } = before.failure;
        sendAudit(session, [
          {
            at: new Date().toISOString(),
            byParty: by.party,
            bySubject: by.subject,
            act: `failure-${to === 'open' ? 'reopened' : to}`,
            changeId: null,
            from: null,
            to: null,
            subject: `failure:${fingerprint}`,
            reason,
            detail: { from: before.state, to, operation, code, ledgerCode },
          },
        ]);
        const [after] = await groups(session, { scope, fingerprint, limit: 1 });
        return after ?? null;
      }),
  };
}
