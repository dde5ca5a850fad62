import type { Operation } from '../../domain/change.ts';
import { OPERATIONS } from '../../domain/change.ts';
import { isContractId } from '../../domain/ids.ts';
import type { Json, JsonRecord } from '../../domain/json.ts';
import { isJsonRecord } from '../../domain/json.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import { LIMITS } from '../../domain/limits.ts';
import { fail } from '../../domain/problems.ts';
import { feeMistake, normalFee } from '../../domain/renewal.ts';
import { isUtcInstant } from '../../domain/time.ts';
import { KIND_WORD, OPERATION_RULES } from './operations.ts';

/*
 * Operations asked in the ledger's words: a choice and its argument in the query store's encoding. Each becomes the
 * very change that the operation's own route would record, so the same words of both mean the same change.
 *
 * What Tenure fills in, a caller may leave out. What is given and is not what Tenure would send is refused: nothing
 * else than what was asked for is ever exercised.
 */

/** What an argument asks for, as the operation's own route would record it. */
export interface ChoiceMeaning {
  readonly operation: Operation;
  readonly body: JsonRecord;
  /** See `ChangeRequest`. */
  readonly within?: string;
}

type Meaning = Omit<ChoiceMeaning, 'operation'>;
type ArgumentReader = (argument: Json, lifecycle: Lifecycle) => Meaning;

const invalid = (field: string, message: string): never =>
  fail('ARGUMENT_INVALID', `${field} ${message}`, { extra: { field } });

/** A record with no other fields than these. */
function record(value: Json | undefined, at: string, fields: readonly string[]): JsonRecord {
  if (!isJsonRecord(value)) return invalid(at, 'must be an object');
  const unknown = Object.keys(value).find((field) => !fields.includes(field));
  if (unknown !== undefined) {
    return invalid(
      `${at}.${unknown}`,
      `is not known: ${at} has ${fields.join(', ') || 'no fields'}`,
    );
  }
  return value;
}

function text(value: Json | undefined, at: string): string {
  if (value === undefined) return invalid(at, 'is required');
  if (typeof value !== 'string') return invalid(at, 'must be a text');
  if (value.length <= LIMITS.metadataTextCharsMax) return value;
  return invalid(at, `must have at most ${LIMITS.metadataTextCharsMax} characters`);
}

/** Ledger metadata `{values}` as REST's `{data}`; absent metadata is empty, as it is there. */
function metadata(value: Json | undefined, at: string): JsonRecord {
  if (value === undefined) return { data: {} };
  const { values = {} } = record(value, at, ['values']);
  if (!isJsonRecord(values)) return invalid(`${at}.values`, 'must be an object');
  const entries = Object.entries(values);
  if (entries.length > LIMITS.metadataEntriesMax) {
    return invalid(`${at}.values`, `must have at most ${LIMITS.metadataEntriesMax} entries`);
  }
  for (const [key, entry] of entries) {
    text(key, `${at}.values`);
    text(entry, `${at}.values.${key}`);
  }
  return { data: values };
}

/** The provider signs for both sides, whoever of them asks. */
function checkActor(value: Json | undefined, { provider }: Lifecycle): void {
  if (value === undefined || value === provider) return;
  invalid('argument.actor', `must be ${provider}, or left out: the provider signs for both sides`);
}

const metaOnly: ArgumentReader = (argument) => {
  const { meta } = record(argument, 'argument', ['meta']);
  return { body: { meta: metadata(meta, 'argument.meta') } };
};

const actorAndMeta: ArgumentReader = (argument, lifecycle) => {
  const { actor, meta } = record(argument, 'argument', ['actor', 'meta']);
  checkActor(actor, lifecycle);
  return { body: { meta: metadata(meta, 'argument.meta') } };
};

/** The token standard's extra arguments: what an attempt needs is asked from the registry when it is made. */
function checkExtraArgs(value: Json | undefined): void {
  if (value === undefined) return;
  const { context, meta } = record(value, 'argument.extraArgs', ['context', 'meta']);
  for (const [part, name] of [
    [context, 'context'],
    [meta, 'meta'],
  ] as const) {
    const { values = {} } = record(part ?? {}, `argument.extraArgs.${name}`, ['values']);
    if (isJsonRecord(values) && Object.keys(values).length === 0) continue;
    invalid(`argument.extraArgs.${name}.values`, 'must be empty: it is filled in for each attempt');
  }
}

function instant(value: Json | undefined, at: string): string {
  const given = text(value, at);
  return isUtcInstant(given)
    ? given
    : invalid(at, 'must be a UTC time such as 2030-01-31T12:00:00.000000Z');
}

const MICROS = /^[1-9]\d{0,18}$/u;

function micros(value: Json | undefined, at: string): string {
  const { microseconds } = record(value, at, ['microseconds']);
  const given = text(microseconds, `${at}.microseconds`);
  const isWithin = MICROS.test(given) && BigInt(given) <= BigInt(LIMITS.durationMsMax) * 1_000n;
  return isWithin ? given : invalid(`${at}.microseconds`, 'must be a number above zero, as text');
}

function fee(value: Json | undefined, at: string): string {
  const given = text(value, at);
  const mistake = feeMistake(given);
  return mistake === null ? normalFee(given) : invalid(at, mistake);
}

const RENEW_FIELDS = [
  'requestId',
  'licenseFeeInstrumentId',
  'licenseFeeAmount',
  'licenseExtensionDuration',
  'requestedAt',
  'prepareUntil',
  'settleBefore',
  'description',
];

const renew: ArgumentReader = (given) => {
  const argument = record(given, 'argument', RENEW_FIELDS);
  if (argument['licenseFeeInstrumentId'] !== undefined) {
    invalid('argument.licenseFeeInstrumentId', 'must be left out: the token registry names it');
  }
  const at = (field: string): string => `argument.${field}`;
  const optional = (
    field: string,
    read: (value: Json | undefined, at: string) => string,
  ): JsonRecord =>
    argument[field] === undefined ? {} : { [field]: read(argument[field], at(field)) };
  return {
    body: {
      licenseFeeCc: fee(argument['licenseFeeAmount'], at('licenseFeeAmount')),
      licenseExtensionMicros: micros(
        argument['licenseExtensionDuration'],
        at('licenseExtensionDuration'),
      ),
      ...optional('requestId', text),
      ...optional('requestedAt', instant),
      prepareUntil: instant(argument['prepareUntil'], at('prepareUntil')),
      settleBefore: instant(argument['settleBefore'], at('settleBefore')),
      description: text(argument['description'], at('description')),
    },
  };
};

const complete: ArgumentReader = (argument) => {
  const fields = ['allocationCid', 'licenseCid', 'extraArgs'];
  const { allocationCid, licenseCid, extraArgs } = record(argument, 'argument', fields);
  checkExtraArgs(extraArgs);
  const body = { allocationContractId: text(allocationCid, 'argument.allocationCid') };
  if (licenseCid === undefined) return { body };
  const within = text(licenseCid, 'argument.licenseCid');
  if (!isContractId(within)) return invalid('argument.licenseCid', 'must be a contract ID');
  return { body, within };
};

/** By operation, whose rule names the choice. A choice that is not here cannot be asked for in its own words. */
const ARGUMENTS: Readonly<Partial<Record<Operation, ArgumentReader>>> = {
  'accept-install-request': (argument) => {
    const { installMeta, meta } = record(argument, 'argument', ['installMeta', 'meta']);
    if (installMeta === undefined) return invalid('argument.installMeta', 'is required');
    return {
      body: {
        installMeta: metadata(installMeta, 'argument.installMeta'),
        meta: metadata(meta, 'argument.meta'),
      },
    };
  },
  'reject-install-request': metaOnly,
  'cancel-install-request': metaOnly,
  'create-license': (argument) => {
    const { params } = record(argument, 'argument', ['params']);
    if (params === undefined) return invalid('argument.params', 'is required');
    const { meta } = record(params, 'argument.params', ['meta']);
    return { body: { params: { meta: metadata(meta, 'argument.params.meta') } } };
  },
  'cancel-install': actorAndMeta,
  'expire-license': actorAndMeta,
  'renew-license': renew,
  'complete-renewal': complete,
  'withdraw-renewal': (argument) => {
    checkExtraArgs(record(argument, 'argument', ['extraArgs'])['extraArgs']);
    return { body: {} };
  },
};

const operationsOf = (lifecycle: Lifecycle | null): Operation[] =>
  OPERATIONS.filter(
    (operation) =>
      ARGUMENTS[operation] !== undefined && OPERATION_RULES[operation].kind === lifecycle?.kind,
  );

/**
 * What the exercise of a choice on the contract of a lifecycle means.
 *
 * @param lifecycle `null` for a contract that stands for none
 * @throws ProblemError `CHOICE_UNKNOWN` that names those which are known, `ARGUMENT_INVALID` that names the field
 */
export function meaningOf(
  lifecycle: Lifecycle | null,
  choice: string,
  argument: Json,
): ChoiceMeaning {
  const known = operationsOf(lifecycle);
  const operation = known.find((one) => OPERATION_RULES[one].choice === choice);
  const read = operation === undefined ? undefined : ARGUMENTS[operation];
  if (lifecycle === null || operation === undefined || read === undefined) {
    const choices = known.map((one) => OPERATION_RULES[one].choice ?? '');
    const word = lifecycle === null ? 'this contract' : KIND_WORD[lifecycle.kind];
    const those = choices.length === 0 ? 'none' : choices.join(', ');
    return fail('CHOICE_UNKNOWN', `choice is not one of ${word}; known: ${those}`, {
      extra: { field: 'choice', choices },
    });
  }
  return { operation, ...read(argument, lifecycle) };
}
