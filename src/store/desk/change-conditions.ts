import type { ChangeFilter, ChangePosition } from '../../app/desk/change-search.ts';
import type { OpsScope } from '../../app/ports/ops-scope.ts';
import type { AnswerClass } from '../../domain/answer.ts';
import { ANSWER_CLASSES } from '../../domain/answer.ts';
import type { ChangeState } from '../../domain/change.ts';
import { CHANGE_STATES, isOpen } from '../../domain/change.ts';
import { OPERATIONS } from '../../domain/licensing.ts';
import { isContractId } from '../../domain/ids.ts';
import { codesOf } from '../../domain/ledger-codes.ts';
import type { Parameters } from '../engine/ops-scope.ts';
import { changesInScope, finishedInScope } from '../engine/ops-scope.ts';

/*
 * The filter of changes as conditions on `change c`.
 *
 * Open changes are few: one index has them by time, and what else is asked is looked up in the rows. Finished ones may be
 * millions. How they ended, their `outcome`, has few values, so every filter by state, class, code, operation or failure
 * is a list of outcomes; for each of them indexes have the changes by time, by party, by person and by command ID. A page
 * is the newest of the newest of each outcome, whatever the filters: nothing that does not match is read, unless two
 * filters by party, person, lifecycle or command ID meet, of which the database takes the rarer one.
 */

export interface ChangeConditions {
  /** `null`: no such change can be meant. */
  readonly open: string | null;
  /** Without the outcome; `null` as above. */
  readonly finished: string | null;
  /** What `outcomes` answers: rows of key, operation, state, code, ledger_code and class. `null`: all that there are. */
  readonly outcomes: string | null;
  /**
   * What holds of those that are looked through for what is meant, the newest of them; `null`: an index has what is meant
   * in order of time.
   */
  readonly recent: string | null;
}

/** The ledger's code of the newest answer of `change c`. */
export const NEWEST_CODE = `(
  select a.ledger_code from attempt a where a.change_id = c.id and a.verdict is not null order by a.n desc limit 1
)`;

const CLASSES_WITHOUT_LIST: AnswerClass = 'unknown';

/** @param code an expression of the statement */
function ofClasses(
  code: string,
  classes: ReadonlySet<AnswerClass>,
  parameters: Parameters,
): string {
  const listed = codesOf(classes);
  if (!classes.has(CLASSES_WITHOUT_LIST)) return `${code} = any(${parameters.add(listed)}::text[])`;
  const all = codesOf(new Set<AnswerClass>(ANSWER_CLASSES));
  const others = all.filter((one) => !listed.includes(one));
  return `${code} <> all(${parameters.add(others)}::text[])`;
}

/** Whose it is. Everything of a provider's scope is about that provider, everything of a user's about that user. */
function ofParty(scope: OpsScope, filter: ChangeFilter, parameters: Parameters): string[] {
  const { party } = filter;
  if (party === undefined || party === scope.party) return [];
  const column = scope.of === 'provider' ? 'app_user' : 'provider';
  return [`c.${column} = ${parameters.add(party)}`];
}

const likePrefix = (prefix: string): string => `${prefix.replaceAll(/[\\%_]/gu, '\\$&')}%`;

function ofCommand({ command }: ChangeFilter, parameters: Parameters): string[] {
  if (command === undefined) return [];
  return 'id' in command
    ? [`c.command_id = ${parameters.add(command.id)}`]
    : [`c.command_id like ${parameters.add(likePrefix(command.prefix))}`];
}

function ofLifecycle({ lifecycle }: ChangeFilter, parameters: Parameters): string[] {
  if (lifecycle === undefined) return [];
  const named = parameters.add(lifecycle);
  return isContractId(lifecycle)
    ? [`c.lifecycle_id = (select l.lifecycle_id from lineage l where l.contract_id = ${named})`]
    : [`c.lifecycle_id = ${named}`];
}

/** Those that an attempt has asked to act on the contract: `attempt_contract` has them. */
const attemptedOn = (contract: string): string =>
  `select a.change_id from attempt a where a.contract_id = ${contract}`;

/**
 * Those that nothing has been attempted of yet, of the lifecycle whose contract it is now: of its lane those at the head
 * and behind it, which indexes have by state.
 */
const yetToAttemptOn = (contract: string): string =>
  [`w.state in ('submitting', 'retrying', 'in-doubt')`, `w.state = 'queued'`]
    .map(
      (isThere) => `
        select w.id
        from lineage n join lifecycle l on l.id = n.lifecycle_id and l.contract_id = n.contract_id
          join change w on w.lane = l.lane and w.lifecycle_id = l.id
        where n.contract_id = ${contract} and ${isThere} and w.last_attempt_no = 0`,
    )
    .join(' union all ');

function ofContract({ contractId }: ChangeFilter, open: boolean, parameters: Parameters): string[] {
  if (contractId === undefined) return [];
  const named = parameters.add(contractId);
  const either = [attemptedOn(named), ...(open ? [yetToAttemptOn(named)] : [])];
  return [`c.id in (${either.join(' union all ')})`];
}

function ofTime(
  { before, from }: ChangeFilter,
  after: Pick<Cursor, 'after' | 'order'> | undefined,
  parameters: Parameters,
): string[] {
  const position = after?.after;
  const beyond = after?.order === 'oldest' ? '>' : '<';
  return [
    ...(before === undefined ? [] : [`c.accepted_at < ${parameters.add(before)}::timestamptz`]),
    ...(from === undefined ? [] : [`c.accepted_at >= ${parameters.add(from)}::timestamptz`]),
    ...(position === undefined
      ? []
      : [
          `(c.accepted_at, c.id) ${beyond} (${parameters.add(position.acceptedAt)}::timestamptz, ${parameters.add(position.id)}::uuid)`,
        ]),
  ];
}

/** What holds of open and finished ones alike. */
const common = (
  scope: OpsScope,
  filter: ChangeFilter,
  cursor: Cursor | undefined,
  parameters: Parameters,
): string[] => [
  ...ofParty(scope, filter, parameters),
  ...ofLifecycle(filter, parameters),
  ...ofCommand(filter, parameters),
  ...ofTime(filter, cursor, parameters),
  ...(filter.by === undefined ? [] : [`c.caller_subject = ${parameters.add(filter.by)}`]),
  ...(filter.policy === undefined ? [] : [`c.policy = ${parameters.add(filter.policy)}`]),
];

export interface Cursor {
  readonly after?: ChangePosition;
  readonly order: 'newest' | 'oldest';
}

const statesOf = ({ states }: ChangeFilter, open: boolean): readonly ChangeState[] =>
  (states ?? CHANGE_STATES).filter((state) => isOpen(state) === open);

/** What open changes have at least some of; `null`: none is meant. */
function ofOpen(filter: ChangeFilter, parameters: Parameters): string[] | null {
  const states = statesOf(filter, true);
  if (states.length === 0 || filter.failure !== undefined) return null;
  const { operations, code, classes } = filter;
  return [
    'c.finished_at is null',
    ...(filter.states === undefined ? [] : [`c.state = any(${parameters.add(states)}::text[])`]),
    ...(operations === undefined
      ? []
      : [`c.operation = any(${parameters.add(operations)}::text[])`]),
    ...(code === undefined ? [] : [`${NEWEST_CODE} = ${parameters.add(code)}`]),
    ...(classes === undefined ? [] : [ofClasses(NEWEST_CODE, new Set(classes), parameters)]),
    ...ofContract(filter, true, parameters),
  ];
}

export const isPrefix = ({ command }: ChangeFilter): boolean =>
  command !== undefined && 'prefix' in command;

/** Whether the index of times alone finds them: nothing restricts their outcome, and nobody's others are left out. */
const isByTime = (scope: OpsScope, filter: ChangeFilter): boolean =>
  scope.of === 'provider' &&
  !isPrefix(filter) &&
  filter.states === undefined &&
  filter.operations === undefined &&
  filter.classes === undefined &&
  filter.code === undefined &&
  filter.failure === undefined &&
  filter.by === undefined &&
  filter.policy === undefined &&
  filter.lifecycle === undefined &&
  (filter.party === undefined || filter.party === scope.party);

/** The outcomes that the filter leaves, as a query; what is no failure is made up of operation and state. */
function outcomesOf(filter: ChangeFilter, parameters: Parameters): string {
  const states = parameters.add(statesOf(filter, false));
  const operations = parameters.add(filter.operations ?? OPERATIONS);
  const { code, classes, failure } = filter;
  const conditions = [
    `f.state = any(${states}::text[])`,
    `f.operation = any(${operations}::text[])`,
    ...(code === undefined ? [] : [`${parameters.add(code)} in (f.code, f.ledger_code)`]),
    ...(classes === undefined ? [] : [`f.class = any(${parameters.add(classes)}::text[])`]),
    ...(failure === undefined ? [] : [`f.fingerprint = ${parameters.add(failure)}`]),
  ];
  const failures = `
    select f.fingerprint as key, f.operation, f.state, f.code, f.ledger_code, f.class
    from failure f where ${conditions.join(' and ')}`;
  if (code !== undefined || classes !== undefined || failure !== undefined) return failures;
  return `${failures}
    union all
    select o || ':' || s, o, s, null, null, null from unnest(${operations}::text[]) o, unnest(${states}::text[]) s`;
}

/** @param byOutcome also where the times alone would do: to count each */
export function conditionsOf(
  scope: OpsScope,
  filter: ChangeFilter,
  parameters: Parameters,
  { cursor, byOutcome = false }: { readonly cursor?: Cursor; readonly byOutcome?: boolean } = {},
): ChangeConditions {
  const shared = common(scope, filter, cursor, parameters);
  const open = ofOpen(filter, parameters);
  const hasFinished = statesOf(filter, false).length > 0;
  const isWhole = !byOutcome && isByTime(scope, filter);
  const isWithoutOrder = hasFinished && cursor !== undefined && isPrefix(filter);
  const finished = (conditions: readonly string[]): string =>
    ['c.finished_at is not null', finishedInScope(scope, 'c', parameters), ...conditions].join(
      ' and ',
    );
  return {
    open:
      open === null
        ? null
        : [...open, changesInScope(scope, 'c', parameters), ...shared].join(' and '),
    finished: hasFinished ? finished([...shared, ...ofContract(filter, false, parameters)]) : null,
    outcomes: hasFinished && !isWhole ? outcomesOf(filter, parameters) : null,
    recent: isWithoutOrder ? finished(ofTime(filter, cursor, parameters)) : null,
  };
}
