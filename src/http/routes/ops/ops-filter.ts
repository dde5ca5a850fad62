import { Type } from '@fastify/type-provider-typebox';
import { Duration } from '@js-joda/core';
import type { ChangeFilter } from '../../../app/desk/change-search.ts';
import { POLICY_NAMES } from '../../../domain/automatic.ts';
import { CHANGE_STATES } from '../../../domain/change.ts';
import { OPERATIONS } from '../../../domain/licensing.ts';
import { isContractId, isLedgerString, isParty, trusted } from '../../../domain/ids.ts';
import { ANSWER_CLASSES } from '../../../domain/answer.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { invalid } from '../../kit/invalid.ts';
import { isStorable } from '../../kit/json-body.ts';
import { isInstant, readOneOf, textOf } from '../../kit/list-query.ts';
import type { Raw } from '../../kit/list-query.ts';

/*
 * The filter of operations as operators write it: in a query string, where several values of one name are repeated or
 * separated by commas, or as an object of a body, where they are an array. Both are read here, so both mean the same.
 */

export const several = (names: readonly string[], description: string) =>
  Type.Optional(
    Type.Array(Type.Unsafe<string>({ type: 'string', enum: [...names] }), {
      description,
      maxItems: names.length,
    }),
  );

export const text = (description: string, example: string) =>
  Type.Optional(
    Type.String({ description, examples: [example], maxLength: LIMITS.pathIdCharsMax }),
  );

/** Members of a query string, and of the object `filter` in a body. */
export const OPS_FILTER = {
  state: several(CHANGE_STATES, 'Any of these'),
  class: several(ANSWER_CLASSES, 'What the ledger’s answer means: any of these'),
  code: text('The problem’s `code` or the ledger’s `ledgerCode`', 'CONTRACT_NOT_FOUND'),
  party: text('Whom they are about, whoever asked', 'app_user_quickstart-root-1::1220aa01'),
  lifecycleId: text(
    'Of this lifecycle: its id or any contract ID it ever had',
    'license-a1b2c3d4e5f60718293a',
  ),
  contractId: text(
    'An attempt that is kept named this contract or, before the first attempt, it is the one of its lifecycle now; `lifecycleId` finds all',
    '00a1b2c3',
  ),
  commandId: text('This one; with `*` at the end, all that begin so', 'tenure:expire:*'),
  olderThan: text('Accepted longer ago (ISO 8601 duration) or before (instant)', 'PT1H'),
  newerThan: text('Accepted less long ago (ISO 8601 duration), or at or after (instant)', 'P1D'),
  by: text(
    'The identity that asked; `tenure`: a policy, whichever',
    'c1f7d7b0-5f4e-4c7e-9d43-0e3b1f4b7a11',
  ),
  policy: Type.Optional(
    Type.Unsafe<string>({
      type: 'string',
      enum: [...POLICY_NAMES],
      description: 'What this policy asked for, and retries of that by persons',
    }),
  ),
  operation: several(OPERATIONS, 'Any of these'),
  failure: text('The fingerprint of a failure', '9f86d081884c7d65'),
};

/** In a body. */
export const OpsFilterBody = Type.Object(OPS_FILTER, { additionalProperties: false });

/** One value, `undefined` when absent or empty; something that can be stored. @throws ProblemError `REQUEST_INVALID` */
export function one(raw: Raw, name: string): string | undefined {
  const value = textOf(raw, name);
  if (value === undefined) return undefined;
  if (value.length > LIMITS.pathIdCharsMax) return invalid(name, 'is too long');
  return isStorable(value) ? value : invalid(name, 'holds characters that cannot be stored');
}

export function anyOf<T extends string>(
  raw: Raw,
  name: string,
  known: readonly T[],
): readonly T[] | undefined {
  const value = raw[name];
  if (value === undefined || value === '') return undefined;
  const given = (Array.isArray(value) ? value : [value]).flatMap((part) => String(part).split(','));
  const read = given.map((part) => known.find((word) => word === part));
  const found = read.flatMap((word) => word ?? []);
  if (found.length === 0 || found.length < read.length) {
    return invalid(name, `must be of ${known.join(', ')}`);
  }
  return [...new Set(found)];
}

const AGE_CHARS_MAX = 64;

function ageMs(name: string, given: string): number {
  try {
    const age = Duration.parse(given.slice(0, AGE_CHARS_MAX)).toMillis();
    if (age >= 0 && age <= LIMITS.durationMsMax) return age;
  } catch {
    // The library's words are not for callers.
  }
  return invalid(
    name,
    'must be an ISO 8601 duration of days and time such as PT1H or P30D, or an instant such as 2030-01-31T12:00:00Z',
  );
}

/** An instant, or how long ago it was. @returns ISO 8601 */
export function instantOrAge(raw: Raw, name: string, nowMs: number): string | undefined {
  const given = one(raw, name);
  if (given === undefined || isInstant(given)) return given;
  return new Date(nowMs - ageMs(name, given)).toISOString();
}

function readCommand(raw: Raw): ChangeFilter['command'] {
  const given = one(raw, 'commandId');
  if (given === undefined) return undefined;
  const isPrefix = given.endsWith('*');
  const id = isPrefix ? given.slice(0, -1) : given;
  if (!isLedgerString(id)) {
    return invalid('commandId', 'must be a command ID, or the beginning of one and then *');
  }
  return isPrefix ? { prefix: id } : { id: trusted(id) };
}

const CODE = /^[A-Z][A-Z0-9_]*(?::[A-Z0-9_]+)?$/u;
const FINGERPRINT = /^[0-9a-f]{16}$/u;

function shaped<T extends string>(
  raw: Raw,
  name: string,
  isOne: (given: string) => given is T,
  what: string,
): T | undefined {
  const given = one(raw, name);
  if (given === undefined || isOne(given)) return given;
  return invalid(name, `must be ${what}`);
}

const isCode = (given: string): given is string => CODE.test(given);
export const isFingerprint = (given: string): given is string => FINGERPRINT.test(given);

/** @throws ProblemError `REQUEST_INVALID` */
export const readCode = (raw: Raw): string | undefined =>
  shaped(raw, 'code', isCode, 'an error code');

/** Without the members that are not there: a filter says what it says. */
export const given = <T extends object>(all: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as never;

/**
 * Reads a filter of operations from a query string or a body's object. Unknown members do not count here.
 *
 * @param nowMs wall time: ages are from now
 * @throws ProblemError `REQUEST_INVALID` that names the member
 */
export function readOpsFilter(raw: Raw, nowMs: number): ChangeFilter {
  return given({
    states: anyOf(raw, 'state', CHANGE_STATES),
    classes: anyOf(raw, 'class', ANSWER_CLASSES),
    code: readCode(raw),
    party: shaped(raw, 'party', isParty, 'a party, hint::fingerprint'),
    lifecycle: one(raw, 'lifecycleId') as ChangeFilter['lifecycle'],
    contractId: shaped(raw, 'contractId', isContractId, 'a contract ID'),
    command: readCommand(raw),
    before: instantOrAge(raw, 'olderThan', nowMs),
    from: instantOrAge(raw, 'newerThan', nowMs),
    by: one(raw, 'by'),
    policy: readOneOf(raw, 'policy', POLICY_NAMES),
    operations: anyOf(raw, 'operation', OPERATIONS),
    failure: shaped(raw, 'failure', isFingerprint, 'a fingerprint'),
  }) as ChangeFilter;
}
