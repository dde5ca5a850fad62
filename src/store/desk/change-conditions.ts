import type { Expression, RawBuilder, SqlBool } from 'kysely';
import { sql } from 'kysely';
import type { ChangeFilter } from '../../domain/change-filter.ts';
import type { ChangePosition } from '../../app/desk/change-search.ts';
import type { OpsScope } from '../../app/ports/ops-scope.ts';
import type { AnswerClass } from '../../domain/answer.ts';
import { ANSWER_CLASSES } from '../../domain/answer.ts';
import type { ChangeState } from '../../domain/change.ts';
import { CHANGE_STATES, isOpen } from '../../domain/change.ts';
import { isContractId } from '../../domain/ids.ts';
import { codesOf } from '../../domain/ledger-codes.ts';
import { anyOf, beyond, build, ofChange } from '../sql/query.ts';
import { changesInScope, finishedInScope } from '../engine/ops-scope.ts';
import type { Order } from '../../app/ports/views.ts';

/*
 * Translates the filter of changes into conditions on `change c`.
 *
 * Open changes are few: one index contains them in order of time, and other conditions are checked on the rows.
 * Finished changes may number millions. Their `outcome`, the way in which they ended, has few values, so that every
 * filter by state, class, code, operation or failure is a list of outcomes. For each outcome, indexes contain the
 * changes by time, by party, by person and by command ID. A page consists of the newest among the newest changes of
 * each outcome. So no change is read that does not match, with one exception: if two filters by party, person,
 * lifecycle or command ID are combined, the database uses the more selective one.
 */

type Condition = Expression<SqlBool>;

/**
 * An outcome of finished changes. Its key is the failure's fingerprint, or operation and state if the change did not
 * fail.
 */
interface Outcome {
  readonly key: string;
  readonly operation: string;
  readonly state: ChangeState;
  readonly code: string | null;
  readonly ledger_code: string | null;
  readonly class: AnswerClass | null;
}

export interface ChangeConditions {
  /** The condition on open changes; `null` if no open change can match. */
  readonly open: Condition | null;
  /** The condition on finished changes, without the outcome; `null` if no finished change can match. */
  readonly finished: Condition | null;
  /** A query for the outcomes that match the filter; `null` if all outcomes match. */
  readonly outcomes: Expression<Outcome> | null;
  /**
   * The condition on the newest changes, among which matches are searched first; `null` if an index contains the
   * matches in order of time.
   */
  readonly recent: Condition | null;
}

/** The ledger's code in the newest answer for `change c`. */
export const NEWEST_CODE = sql<string | null>`(
  select a.ledger_code from attempt a where a.change_id = c.id and a.verdict is not null order by a.n desc limit 1
)`;

/** Returns the condition on a filter's value; none if the filter has no such value. */
const when = <T>(given: T | undefined, condition: (given: T) => Condition): Condition[] =>
  given === undefined ? [] : [condition(given)];

const CLASSES_WITHOUT_LIST: AnswerClass = 'unknown';

function ofClasses(classes: readonly AnswerClass[]): Condition {
  const listed = codesOf(new Set(classes));
  if (!classes.includes(CLASSES_WITHOUT_LIST)) return ofChange(NEWEST_CODE, '=', anyOf(listed));
  const all = codesOf(new Set<AnswerClass>(ANSWER_CLASSES));
  const others = all.filter((one) => !listed.includes(one));
  return sql<SqlBool>`${NEWEST_CODE} <> all(${others}::text[])`;
}

const likePrefix = (prefix: string): string => `${prefix.replaceAll(/[\\%_]/gu, '\\$&')}%`;

const ofCommand = (command: NonNullable<ChangeFilter['command']>): Condition =>
  'id' in command
    ? ofChange('c.command_id', '=', command.id)
    : ofChange('c.command_id', 'like', likePrefix(command.prefix));

const ofLifecycle = (lifecycle: NonNullable<ChangeFilter['lifecycle']>): Condition =>
  isContractId(lifecycle)
    ? sql<SqlBool>`c.lifecycle_id = (select l.lifecycle_id from lineage l where l.contract_id = ${lifecycle})`
    : ofChange('c.lifecycle_id', '=', lifecycle);

/** Finds the changes that have an attempt on the contract, through the index `attempt_contract`. */
const attemptedOn = (contract: string) =>
  sql`select a.change_id from attempt a where a.contract_id = ${contract}`;

/**
 * Finds the changes without any attempt whose lifecycle now has this contract: heads of the lifecycle's lane and queued
 * changes, each through an index by state.
 */
const yetToAttemptOn = (contract: string): readonly RawBuilder<unknown>[] =>
  [sql`w.state in ('submitting', 'retrying', 'in-doubt')`, sql`w.state = 'queued'`].map(
    (isThere) => sql`
      select w.id
      from lineage n join lifecycle l on l.id = n.lifecycle_id and l.contract_id = n.contract_id
        join change w on w.lane = l.lane and w.lifecycle_id = l.id
      where n.contract_id = ${contract} and ${isThere} and w.last_attempt_no = 0`,
  );

function ofContract(contract: string, isOpen: boolean): Condition {
  const either = [attemptedOn(contract), ...(isOpen ? yetToAttemptOn(contract) : [])];
  return sql<SqlBool>`c.id in (${sql.join(either, sql` union all `)})`;
}

export interface Cursor {
  readonly after?: ChangePosition;
  readonly order: Order;
}

const after = (cursor: Cursor | undefined): Condition[] =>
  when(cursor?.after, ({ acceptedAt, id }) => {
    return sql<SqlBool>`(c.accepted_at, c.id) ${beyond(cursor ?? {})} (${acceptedAt}, ${id})`;
  });

interface Holding<T> {
  /** Whether this filter needs more than the index by time. */
  readonly isBesideTime: boolean;
  /** The condition, if it is the same for open and finished changes. Otherwise `open` and `outcomes` contain it. */
  readonly condition?: (given: T) => Condition;
}

/** How each member of the filter is applied. If a member has no entry, the code does not compile. */
const HOLDS: { readonly [Name in keyof ChangeFilter]-?: Holding<NonNullable<ChangeFilter[Name]>> } =
  {
    states: { isBesideTime: true },
    classes: { isBesideTime: true },
    code: { isBesideTime: true },
    operations: { isBesideTime: true },
    failure: { isBesideTime: true },
    // `common` applies this member, because it compares the member with the scope's own party.
    party: { isBesideTime: true },
    user: { isBesideTime: true, condition: (user) => ofChange('c.app_user', '=', user) },
    provider: { isBesideTime: true, condition: (one) => ofChange('c.provider', '=', one) },
    lifecycle: { isBesideTime: true, condition: ofLifecycle },
    // These changes are found by the keys of their attempts, which have no order of time.
    contractId: { isBesideTime: false },
    command: { isBesideTime: false, condition: ofCommand },
    before: { isBesideTime: false, condition: (at) => ofChange('c.accepted_at', '<', at) },
    from: { isBesideTime: false, condition: (at) => ofChange('c.accepted_at', '>=', at) },
    by: { isBesideTime: true, condition: (by) => ofChange('c.caller_subject', '=', by) },
    policy: { isBesideTime: true, condition: (policy) => ofChange('c.policy', '=', policy) },
  };

const MEMBERS = Object.keys(HOLDS) as (keyof ChangeFilter)[];

function conditionOf(filter: ChangeFilter, name: keyof ChangeFilter): Condition[] {
  // The filter and the table have matching types for each name, but the compiler cannot see that.
  const { condition } = HOLDS[name] as Holding<unknown>;
  return condition === undefined ? [] : when<unknown>(filter[name], condition);
}

/** Returns the filter without the scope's own party, because every change of the scope has that party. */
const withoutOwn = (scope: OpsScope, { party, ...rest }: ChangeFilter): ChangeFilter =>
  party === undefined || party === scope.party ? rest : { ...rest, party };

/** Returns the conditions that apply to open and finished changes alike. */
function common(scope: OpsScope, filter: ChangeFilter, cursor: Cursor | undefined): Condition[] {
  // All changes of a provider's scope have that provider, and all changes of a user's scope have that user.
  const other = scope.of === 'provider' ? 'c.app_user' : 'c.provider';
  return [
    ...when(withoutOwn(scope, filter).party, (one) => ofChange(other, '=', one)),
    ...MEMBERS.flatMap((name) => conditionOf(filter, name)),
    ...after(cursor),
  ];
}

const statesOf = ({ states }: ChangeFilter, open: boolean): readonly ChangeState[] =>
  (states ?? CHANGE_STATES).filter((state) => isOpen(state) === open);

/** Returns the conditions on open changes; `null` if no open change can match. */
function ofOpen(filter: ChangeFilter): Condition[] | null {
  const states = statesOf(filter, true);
  if (states.length === 0 || filter.failure !== undefined) return null;
  return [
    ofChange('c.finished_at', 'is', null),
    ...when(filter.states, () => ofChange('c.state', '=', anyOf(states))),
    ...when(filter.operations, (some) => ofChange('c.operation', '=', anyOf<string>(some))),
    ...when(filter.code, (code) => ofChange(NEWEST_CODE, '=', code)),
    ...when(filter.classes, ofClasses),
    ...when(filter.contractId, (contract) => ofContract(contract, true)),
  ];
}

export const isPrefix = ({ command }: ChangeFilter): boolean =>
  command !== undefined && 'prefix' in command;

/**
 * Whether the index by time is enough to find the changes: there is no condition on the outcome, and there are no
 * changes of other parties to skip.
 */
const isByTime = (scope: OpsScope, filter: ChangeFilter): boolean =>
  scope.of === 'provider' &&
  !isPrefix(filter) &&
  (Object.keys(withoutOwn(scope, filter)) as (keyof ChangeFilter)[]).every(
    (name) => filter[name] === undefined || !HOLDS[name].isBesideTime,
  );

/** Returns a query for the outcomes that match the filter. */
function outcomesOf(filter: ChangeFilter, all: readonly string[]): Expression<Outcome> {
  const { code, classes, failure } = filter;
  const states = statesOf(filter, false);
  const operations = filter.operations ?? all;
  let failures = build
    .selectFrom('failure as f')
    .select([
      'f.fingerprint as key',
      'f.operation',
      'f.state',
      'f.code',
      'f.ledger_code',
      'f.class',
    ])
    .where('f.state', '=', anyOf(states))
    .where('f.operation', '=', anyOf(operations));
  if (code !== undefined)
    failures = failures.where(sql<SqlBool>`${code} in (f.code, f.ledger_code)`);
  if (classes !== undefined) failures = failures.where('f.class', '=', anyOf(classes));
  if (failure !== undefined) failures = failures.where('f.fingerprint', '=', failure);
  if (code !== undefined || classes !== undefined || failure !== undefined) return failures;
  return sql<Outcome>`(${failures} union all
    select o || ':' || s, o, s, null, null, null from unnest(${operations}::text[]) o, unnest(${states}::text[]) s)`;
}

/**
 * @param operations the names of all operations
 * @param byOutcome returns a list of outcomes even if the index by time would be enough, so that each outcome can be
 * counted
 */
export function conditionsOf(
  scope: OpsScope,
  filter: ChangeFilter,
  {
    operations,
    cursor,
    byOutcome = false,
  }: {
    readonly operations: readonly string[];
    readonly cursor?: Cursor;
    readonly byOutcome?: boolean;
  },
): ChangeConditions {
  const shared = common(scope, filter, cursor);
  const open = ofOpen(filter);
  const hasFinished = statesOf(filter, false).length > 0;
  const isWhole = !byOutcome && isByTime(scope, filter);
  const isWithoutOrder = hasFinished && cursor !== undefined && isPrefix(filter);
  const finished = (conditions: readonly Condition[]): Condition =>
    ofChange.and([
      ofChange('c.finished_at', 'is not', null),
      finishedInScope(scope),
      ...conditions,
    ]);
  const ofIts = when(filter.contractId, (contract) => ofContract(contract, false));
  return {
    open: open === null ? null : ofChange.and([...open, changesInScope(scope), ...shared]),
    finished: hasFinished ? finished([...shared, ...ofIts]) : null,
    outcomes: hasFinished && !isWhole ? outcomesOf(filter, operations) : null,
    recent: isWithoutOrder
      ? finished([
          ...conditionOf(filter, 'before'),
          ...conditionOf(filter, 'from'),
          ...after(cursor),
        ])
      : null,
  };
}
