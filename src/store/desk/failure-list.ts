import type { InferResult, SqlBool } from 'kysely';
import { sql } from 'kysely';
import type { Pool } from 'pg';
import type {
  FailureAct,
  FailureGroup,
  FailureList,
  FailureQuery,
  FailureState,
} from '../../app/desk/failure-list.ts';
import { EXPECTED_CONFLICTS } from '../../app/desk/failures.ts';
import type { OpsScope } from '../../app/ports/ops-scope.ts';
import { trusted } from '../../domain/ids.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Ask } from '../sql/ask.ts';
import { asking } from '../sql/ask.ts';
import { beyond, build, wayOf } from '../sql/query.ts';
import { sendAudit } from '../engine/audit.ts';
import type { Session } from '../sql/session.ts';
import { statement } from '../sql/statement.ts';
import { transact } from '../sql/transact.ts';
import { finishedInScope } from '../engine/ops-scope.ts';

/*
 * Lists failures. There are few kinds of failures, and an index contains the changes of each kind as one range in order
 * of acceptance. The query looks up both ends of each range. For the failures on the page only, it also counts the
 * entries in between, up to a bound.
 */

const FAILURE = [
  'f.fingerprint',
  'f.operation',
  'f.state',
  'f.code',
  'f.ledger_code',
  'f.class',
  'f.explanation',
] as const;

/** Returns the changes `c` of the failure `f` that are in the scope. */
const changesOf = (scope: OpsScope) =>
  build
    .selectFrom('change as c')
    .where('c.finished_at', 'is not', null)
    .whereRef('c.outcome', '=', sql.ref('f.fingerprint'))
    .where(finishedInScope(scope));

/** Returns the first or the last change of a failure. */
const endOf = (scope: OpsScope, way: 'asc' | 'desc') =>
  changesOf(scope).orderBy('c.accepted_at', way).orderBy('c.id', way).limit(1);

const STANDING = sql<{ readonly standing: FailureState }>`(
  select case when f.state = 'rejected' and f.code = any(${EXPECTED_CONFLICTS}) then coalesce(d.state, 'ignored')
              when d.state is null or d.reopened_at is not null then 'open'
              else d.state end as standing)`;

interface GroupQuery extends FailureQuery {
  readonly fingerprint?: string;
}

/** Returns the matching failures, each with its last change and the operator's decision. */
function pageOf(asked: GroupQuery) {
  const { scope, fingerprint, state, operation, code, after, limit } = asked;
  const last = endOf(scope, 'desc').select([
    'c.accepted_at',
    'c.id',
    'c.command_id',
    'c.lifecycle_id',
    'c.app_user',
  ]);
  let query = build
    .selectFrom('failure as f')
    .leftJoin('failure_decision as d', (on) =>
      on.onRef('d.fingerprint', '=', 'f.fingerprint').on('d.party', '=', scope.party),
    )
    .crossJoinLateral(STANDING.as('said'))
    .crossJoinLateral(last.as('last'))
    .select([...FAILURE, 'said.standing', 'last.accepted_at as last_at', 'last.id as example_id'])
    .select(['last.command_id', 'last.lifecycle_id', 'last.app_user'])
    .select(['d.state as decided', 'd.at as decided_at', 'd.by_subject', 'd.reason'])
    .select('d.reopened_at')
    .orderBy('last.accepted_at', wayOf(asked))
    .orderBy('f.fingerprint', wayOf(asked))
    .limit(limit);
  if (fingerprint !== undefined) query = query.where('f.fingerprint', '=', fingerprint);
  if (state !== undefined) query = query.where('said.standing', '=', state);
  if (operation !== undefined) query = query.where('f.operation', '=', operation);
  if (code !== undefined) query = query.where(sql<SqlBool>`${code} in (f.code, f.ledger_code)`);
  if (after === undefined) return query;
  return query.where(
    sql<SqlBool>`(last.accepted_at, f.fingerprint) ${beyond(asked)} (${after.lastAt}, ${after.fingerprint})`,
  );
}

function groupsOf(query: GroupQuery) {
  const some = changesOf(query.scope)
    .select(sql.lit(1).as('one'))
    .limit(LIMITS.countMax + 1);
  const size = build.selectFrom(some.as('x')).select((eb) => eb.fn.countAll<bigint>().as('n'));
  return build
    .selectFrom(pageOf(query).as('f'))
    .crossJoinLateral(endOf(query.scope, 'asc').select('c.accepted_at').as('first'))
    .crossJoinLateral(size.as('size'))
    .selectAll('f')
    .select(['first.accepted_at as first_at', 'size.n'])
    .orderBy('f.last_at', wayOf(query))
    .orderBy('f.fingerprint', wayOf(query));
}

type GroupRow = InferResult<ReturnType<typeof groupsOf>>[number];

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

const groups = async (session: Session, query: GroupQuery): Promise<FailureGroup[]> =>
  (await session.ask(groupsOf(query))).map(groupOf);

/**
 * Locks a failure, so that decisions about it are made one after the other. Changes may still fail with it at the same
 * time.
 */
const LOCK = statement<never>(
  'lock-failure',
  'select from failure where fingerprint = $1 for no key update',
);

/**
 * Blocks changes that are about to fail: such a change either fails before the decision, or waits for the decision and
 * then sees it.
 */
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

/**
 * @param pool opened with `pipelined`; the caller closes it
 * @param ask reads the list, on a replica if there is one
 */
export function createFailureList(pool: Pool, ask: Ask = asking(pool)): FailureList {
  return {
    list: (query, io) => ask(io, (session) => groups(session, query)),
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
