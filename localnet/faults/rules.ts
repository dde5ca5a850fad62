import { Type } from 'typebox';
import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { PARTICIPANT_NAMES } from '../ports.ts';
import { codesAt, stagesOf } from './codes.ts';
import type { Stage } from './code-rule.ts';

/* The JSON form of faults. Every kind of fault has the common fields and fields of its own. */

/** The maximum duration of a fault or a delay. */
const SECONDS_MAX = 7 * 24 * 60 * 60;
const MS_MAX = 10 * 60 * 1000;
const COUNT_MAX = 100_000;
/** The maximum number of completions that one fault remembers. */
const REMEMBERED_MAX = 10_000;
const PATTERN_CHARS_MAX = 300;
const CODES_MAX = 100;

const pattern = (description: string) =>
  Type.String({ minLength: 1, maxLength: PATTERN_CHARS_MAX, description });
const count = (maximum: number, description: string) =>
  Type.Integer({ minimum: 0, maximum, description });
const PARTICIPANT = Type.Enum([...PARTICIPANT_NAMES]);

/** Restricts a fault. All given fields must match. `*` in a pattern stands for any characters. */
export const Where = Type.Object(
  {
    participant: Type.Optional(PARTICIPANT),
    method: Type.Optional(
      pattern('pattern of `Submit`, `CommandSubmissionService/Submit` or the whole path'),
    ),
    user: Type.Optional(pattern('pattern of the ledger user')),
    party: Type.Optional(pattern('pattern; one of the parties must fit')),
    commandId: Type.Optional(pattern('pattern of the command ID')),
  },
  { additionalProperties: false },
);
export type Where = Static<typeof Where>;

const COMMON = {
  where: Type.Optional(Where),
  skip: Type.Optional(count(COUNT_MAX, 'let so many that fit pass first')),
  times: Type.Optional(
    Type.Integer({ minimum: 1, maximum: REMEMBERED_MAX, description: 'strike so often at most' }),
  ),
  chance: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'strike this share of those that fit' }),
  ),
  seed: Type.Optional(
    Type.String({ maxLength: 100, description: 'makes what is left to chance repeatable' }),
  ),
  seconds: Type.Optional(
    Type.Number({ exclusiveMinimum: 0, maximum: SECONDS_MAX, description: 'be over after that' }),
  ),
};

const How = Type.Union([
  Type.Literal('unavailable'),
  Type.Literal('reset'),
  Type.Literal('silence'),
]);
const CutHow = Type.Union([
  Type.Literal('unavailable'),
  Type.Literal('reset'),
  Type.Literal('end'),
]);
const MS = Type.Integer({ minimum: 1, maximum: MS_MAX });
const MSMAX = Type.Optional(
  Type.Integer({ minimum: 1, maximum: MS_MAX, description: 'draw from ms to this' }),
);
const CODE = Type.String({ minLength: 1, maxLength: 100 });
const CODES = Type.Union([
  CODE,
  Type.Array(CODE, { minItems: 1, maxItems: CODES_MAX, description: 'one of them is drawn' }),
]);
const AGAIN = Type.Optional(
  Type.Number({ minimum: 0.1, maximum: SECONDS_MAX, description: 'do it again and again' }),
);

/** Returns the schema of a kind of fault that is applied to individual calls or elements, possibly at random. */
const kind = <K extends string, P extends Record<string, TSchema>>(
  name: K,
  description: string,
  own: P,
) =>
  Type.Object(
    { kind: Type.Literal(name), ...COMMON, ...own },
    { additionalProperties: false, description },
  );

/** Returns the schema of a kind of fault that is a lasting condition. */
const condition = <K extends string, P extends Record<string, TSchema>>(
  name: K,
  description: string,
  own: P,
) => {
  const { where, seconds } = COMMON;
  return Type.Object(
    { kind: Type.Literal(name), where, seconds, ...own },
    { additionalProperties: false, description },
  );
};

/**
 * HTTP interfaces that can be made unreachable: the authorization server, the registry, and two interfaces of a
 * participant.
 */
const SURFACES = ['auth', 'registry', 'json', 'validator'] as const;
export type Surface = (typeof SURFACES)[number];

/** The kinds of faults, each with its own fields. */
export const FAULT_KINDS = {
  'drop-before': kind('drop-before', 'A call is lost before anything happens.', {
    how: Type.Optional(How),
  }),
  'drop-after': kind('drop-after', 'A unary call has its effect, and its answer is lost.', {
    how: Type.Optional(How),
    code: Type.Optional(CODES),
  }),
  delay: kind('delay', 'A unary call begins late, or its answer leaves late; it happens anyway.', {
    ms: MS,
    msMax: MSMAX,
    at: Type.Optional(Type.Union([Type.Literal('before'), Type.Literal('after')])),
  }),
  repeat: kind(
    'repeat',
    'The request of a submission arrives twice; the second answer counts.',
    {},
  ),
  error: kind('error', 'A call is refused at once, and nothing happens.', { code: CODES }),
  reject: kind('reject', 'A submission is taken and rejected by its completion.', { code: CODES }),
  lose: kind(
    'lose',
    'A submission is taken and never sequenced: its completion says so when it no longer can be.',
    {},
  ),
  withhold: kind('withhold', 'Completions that no stream delivers while this lasts.', {}),
  duplicate: kind('duplicate', 'Completions come twice.', {}),
  reorder: kind('reorder', 'Completions come after later ones, which no participant does.', {
    by: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  }),
  'slow-stream': kind('slow-stream', 'Elements of streams leave late, in order.', {
    ms: MS,
    msMax: MSMAX,
  }),
  cut: kind('cut', 'Streams that are open now end.', {
    how: Type.Optional(CutHow),
    code: Type.Optional(CODES),
    everySeconds: AGAIN,
  }),
  'cut-at': kind('cut-at', 'A stream ends before one of its elements.', {
    how: Type.Optional(CutHow),
    code: Type.Optional(CODES),
    afterElements: Type.Optional(count(COUNT_MAX, 'not before so many; checkpoints do not count')),
  }),
  silence: kind('silence', 'Streams stay open and never say anything again, as if half open.', {}),
  hold: kind('hold', 'Calls and streams wait until this is over, and then go on.', {}),
  'expire-tokens': kind('expire-tokens', 'Tokens count as expired.', {
    which: Type.Optional(
      Type.Union([Type.Literal('known'), Type.Literal('all')], {
        description: 'those that the participant has seen so far, or also all new ones',
      }),
    ),
  }),
  restart: kind('restart', 'A participant goes down and comes back with what it has.', {
    downMs: Type.Optional(Type.Integer({ minimum: 0, maximum: MS_MAX })),
    everySeconds: AGAIN,
  }),
  prune: kind('prune', 'A participant forgets its past, for good.', {
    upTo: Type.Optional(
      Type.String({ pattern: '^[0-9]{1,18}$', description: 'offset; the last that can be' }),
    ),
    everySeconds: AGAIN,
  }),
  'deduplication-window': condition(
    'deduplication-window',
    'How long participants must remember commands, and do if not told otherwise.',
    { ms: Type.Integer({ minimum: 0, maximum: SECONDS_MAX * 1000 }) },
  ),
  skew: condition(
    'skew',
    'The clock of a participant, or of the ledger if none is named, is wrong.',
    { bySeconds: Type.Number({ minimum: -86_400, maximum: 86_400 }) },
  ),
  'slow-ledger': condition('slow-ledger', 'Time passes from sequencing to verdict.', {
    ms: MS,
    msMax: MSMAX,
  }),
  behind: condition(
    'behind',
    'A participant sees nothing of what happens until this is over; it goes on answering with what it has.',
    {
      sends: Type.Optional(
        Type.Boolean({ description: 'false: what it is given is never sequenced either' }),
      ),
    },
  ),
  stopped: condition(
    'stopped',
    'A participant takes calls and reads none of them until this is over, as a process that is stopped.',
    {},
  ),
  down: condition('down', 'A participant refuses connections until this is over.', {}),
  away: kind('away', 'What answers HTTP does not.', {
    surface: Type.Enum([...SURFACES]),
    how: Type.Optional(How),
  }),
} as const;

export type FaultKind = keyof typeof FAULT_KINDS;
export type FaultRuleOf<K extends FaultKind> = Static<(typeof FAULT_KINDS)[K]>;
export type FaultRule = { [K in FaultKind]: FaultRuleOf<K> }[FaultKind];

/** For each kind of fault with codes, the stages at which a participant must be able to return the code. */
const STAGES: Partial<Readonly<Record<FaultKind, readonly Stage[]>>> = {
  error: ['call', 'submission', 'read'],
  reject: ['completion'],
  'drop-after': ['answer'],
  cut: ['stream'],
  'cut-at': ['stream'],
};

/** For kinds of faults that are not about calls, the permitted fields of `where`. */
const PLACES: Partial<Readonly<Record<FaultKind, readonly (keyof Where)[]>>> = {
  reject: ['participant', 'user', 'party', 'commandId'],
  lose: ['participant', 'user', 'party', 'commandId'],
  'expire-tokens': ['participant', 'user'],
  restart: ['participant'],
  prune: ['participant'],
  'deduplication-window': ['participant'],
  skew: ['participant'],
  'slow-ledger': [],
  behind: ['participant'],
  stopped: ['participant'],
  down: ['participant'],
  away: ['participant'],
};

/** A fault is invalid. The message names the mistake. */
export class BadFault extends Error {
  override readonly name = 'BadFault';
}

/** A fault is valid but impossible at present. */
export class FaultConflict extends Error {
  override readonly name = 'FaultConflict';
}

const isKind = (name: unknown): name is FaultKind =>
  typeof name === 'string' && Object.hasOwn(FAULT_KINDS, name);

/** Returns the codes among which a rule chooses. */
export const codesOf = ({ code }: { readonly code?: string | readonly string[] }) =>
  code === undefined ? [] : typeof code === 'string' ? [code] : code;

/** Reads a fault from a request. @throws BadFault */
export function readFault(body: unknown): FaultRule {
  const name = (body as { readonly kind?: unknown } | null)?.kind;
  if (!isKind(name)) {
    throw new BadFault(`kind must be one of ${Object.keys(FAULT_KINDS).join(', ')}`);
  }
  requireShape(FAULT_KINDS[name], body);
  const rule = body as FaultRule;
  for (const name of Object.keys(rule.where ?? {}) as (keyof Where)[]) {
    if (PLACES[rule.kind]?.includes(name) === false) {
      throw new BadFault(`where.${name} means nothing to ${rule.kind}`);
    }
  }
  if (rule.kind === 'prune' && rule.upTo !== undefined && rule.where?.participant === undefined) {
    throw new BadFault('an offset means something to one participant only: name it');
  }
  if ('code' in rule) requireCodes(rule.kind, codesOf(rule));
  if ('code' in rule && 'how' in rule) throw new BadFault('either how or code, not both');
  if ('msMax' in rule && rule.msMax !== undefined && rule.msMax < rule.ms) {
    throw new BadFault('msMax must not be less than ms');
  }
  return rule;
}

/** @throws BadFault with the first mistake */
export function requireShape(schema: TSchema, body: unknown): void {
  if (Value.Check(schema, body)) return;
  const [first] = Value.Errors(schema, body);
  const place = first?.instancePath.slice(1).replaceAll('/', '.');
  const what = first?.keyword === 'boolean' ? 'is no field here' : (first?.message ?? 'is wrong');
  throw new BadFault(`${place === undefined || place === '' ? 'it' : place} ${what}`);
}

function requireCodes(kind: FaultKind, codes: readonly string[]): void {
  const wanted = STAGES[kind] ?? [];
  for (const code of codes) {
    const stages = stagesOf(code);
    if (stages === undefined) throw new BadFault(`${code.slice(0, 100)} is no code to ask for`);
    if (stages.some((stage) => wanted.includes(stage))) continue;
    throw new BadFault(
      `${code} is given as ${stages.join(', ')}, and ${kind} strikes as ${wanted.join(', ')}: ${codesAt(...wanted).join(', ')}`,
    );
  }
}
