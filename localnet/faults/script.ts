import { Type } from 'typebox';
import type { Static } from 'typebox';
import { requireShape, Where } from './rules.ts';
import type { FaultKind, FaultRule } from './rules.ts';

/**
 * For each kind of fault, the faults from which a script chooses. Their delays are short, so that callers can survive
 * many faults.
 */
const DRAWN: Readonly<Partial<Record<FaultKind, (common: Common) => readonly FaultRule[]>>> = {
  'drop-before': (common) => each(['unavailable', 'reset', 'silence'], common, 'drop-before'),
  'drop-after': (common) => each(['unavailable', 'reset', 'silence'], common, 'drop-after'),
  delay: (common) => [
    { ...common, ...half(common), kind: 'delay', ms: 50, msMax: 5_000, at: 'before' },
    {
      ...common,
      ...half(common),
      kind: 'delay',
      ms: 50,
      msMax: 5_000,
      at: 'after',
      seed: `${common.seed}/after`,
    },
  ],
  repeat: (common) => [{ ...common, kind: 'repeat' }],
  error: (common) => [{ ...common, kind: 'error', code: TRANSIENT_REFUSALS }],
  reject: ({ where: { method: _method, ...where }, ...common }) => [
    { ...common, where, kind: 'reject', code: TRANSIENT_REJECTIONS },
  ],
  withhold: (common) => [{ ...common, kind: 'withhold' }],
  duplicate: (common) => [{ ...common, kind: 'duplicate' }],
  reorder: (common) => [{ ...common, kind: 'reorder', by: 1 }],
  'slow-stream': (common) => [{ ...common, kind: 'slow-stream', ms: 10, msMax: 500 }],
  'cut-at': (common) => [
    { ...common, ...half(common), kind: 'cut-at', how: 'reset' },
    {
      ...common,
      ...half(common),
      seed: `${common.seed}/code`,
      kind: 'cut-at',
      code: ['ACCESS_TOKEN_EXPIRED', 'STALE_STREAM_AUTHORIZATION', 'SERVICE_NOT_RUNNING'],
    },
  ],
  cut: (common) => [{ ...common, kind: 'cut', how: 'reset', everySeconds: 1 }],
  silence: (common) => [{ ...common, kind: 'silence' }],
  'expire-tokens': ({ where, ...common }) => [
    { ...common, where: placeOf(where), kind: 'expire-tokens', which: 'all' },
  ],
  restart: ({ where, ...common }) => [
    { ...common, where: placeOf(where), kind: 'restart', downMs: 300, everySeconds: 1 },
  ],
  away: ({ where: _where, ...common }) => [
    { ...common, kind: 'away', surface: 'auth', seed: `${common.seed}/auth` },
    { ...common, kind: 'away', surface: 'registry', seed: `${common.seed}/registry` },
  ],
};

interface Common {
  readonly where: Where;
  readonly seed: string;
  readonly chance: number;
  readonly seconds: number;
}

type HowKind = 'drop-before' | 'drop-after';

/**
 * Returns one rule for each way in which a call can be lost. Together, the rules are applied as often as one rule with
 * this rate would be.
 */
const each = (
  ways: readonly ('unavailable' | 'reset' | 'silence')[],
  common: Common,
  kind: HowKind,
): readonly FaultRule[] =>
  ways.map((how) => ({
    ...common,
    kind,
    how,
    seed: `${common.seed}/${how}`,
    chance: common.chance / ways.length,
  }));

/** Returns the part of `where` that also applies to faults that concern no call. */
const placeOf = ({ participant }: Where): Where =>
  participant === undefined ? {} : { participant };

const half = ({ chance }: Common) => ({ chance: chance / 2 });

/** Transient refusals: a caller that retries succeeds. */
const TRANSIENT_REFUSALS = [
  'SERVICE_NOT_RUNNING',
  'PARTICIPANT_BACKPRESSURE',
  'SUBMISSION_ALREADY_IN_FLIGHT',
  'REQUEST_TIME_OUT',
  'INTERPRETATION_TIME_EXCEEDED',
  'SERVER_OVERLOADED',
];
const TRANSIENT_REJECTIONS = [
  'LOCAL_VERDICT_LOCKED_CONTRACTS',
  'LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND',
  'LOCAL_VERDICT_TIMEOUT',
  'MEDIATOR_SAYS_TX_TIMED_OUT',
  'NOT_SEQUENCED_TIMEOUT',
  'PARTICIPANT_BACKPRESSURE',
  'SUBMISSION_DURING_SHUTDOWN',
  'CHOSEN_MEDIATOR_IS_INACTIVE',
  'SEQUENCER_BACKPRESSURE',
  'SEQUENCER_OVERLOADED',
  'SEQUENCER_REQUEST_FAILED',
];

/**
 * Default rates of a script: every kind of call and element is affected occasionally, and no fault lasts all the time.
 */
const USUAL_RATES: Partial<Record<FaultKind, number>> = {
  'drop-before': 0.03,
  'drop-after': 0.03,
  delay: 0.03,
  repeat: 0.02,
  error: 0.03,
  reject: 0.03,
  withhold: 0.02,
  duplicate: 0.05,
  'slow-stream': 0.05,
  'cut-at': 0.02,
  cut: 0.05,
  'expire-tokens': 0.01,
  away: 0.05,
};

const Rate = Type.Number({ minimum: 0, maximum: 1 });
const KINDS = Object.keys(DRAWN) as FaultKind[];

/** A request for faults of many kinds at once. They are derived from one seed. */
export const FaultScript = Type.Object(
  {
    seed: Type.Union([Type.String({ minLength: 1, maxLength: 80 }), Type.Integer()]),
    rates: Type.Optional(
      Type.Object(Object.fromEntries(KINDS.map((kind) => [kind, Type.Optional(Rate)])), {
        additionalProperties: false,
        description: 'share of the calls and elements by kind',
      }),
    ),
    seconds: Type.Number({ exclusiveMinimum: 0, maximum: 7 * 24 * 60 * 60 }),
    where: Type.Optional(Where),
  },
  { additionalProperties: false, description: 'Draws faults of many kinds from one seed.' },
);

/** Reads a script from a request and returns its faults. @throws BadFault */
export function readScript(body: unknown): readonly FaultRule[] {
  requireShape(FaultScript, body);
  const { seed, rates, seconds, where = {} } = body as Static<typeof FaultScript>;
  const wanted: Partial<Record<FaultKind, number>> = rates ?? USUAL_RATES;
  return KINDS.flatMap((kind) => {
    const chance = wanted[kind] ?? 0;
    if (chance === 0) return [];
    return DRAWN[kind]?.({ where, seed: `${seed}`, chance, seconds }) ?? [];
  });
}
