import fc from 'fast-check';
import type { LicensingOperation } from '../../../src/domain/licensing.ts';
import { LIFECYCLE_KINDS } from '../../../src/domain/licensing.ts';
import type { LicensingKind } from '../../../src/domain/licensing.ts';
import type { Ask, Life, LicensingModel, Who } from './licensing-model.ts';
import { RULES, hasEnded } from './licensing-model.ts';
import type { Name } from './real-world.ts';
import { NAMES } from './real-world.ts';
import { HOUR_MS, among } from './told.ts';

/** A request for an operation that can be applied to any lifecycle. */
export interface Wish {
  readonly life: number;
  readonly operation: number;
  /** The party that makes the request: the one that may act, the other one, or a stranger. */
  readonly by: 'right' | 'other' | 'stranger';
  readonly name: Name;
  /** The version in `If-Match`, as the difference from the lifecycle's version. */
  readonly ifVersion: number | undefined;
  readonly money: number;
  readonly allowConcurrent: boolean;
  readonly hours: number;
  /** With 0, the operation belongs to another kind of lifecycle; with 1, the lifecycle does not exist. */
  readonly oddity: number;
}

/** The operations for each kind of lifecycle. An operation that is to be more frequent occurs several times. */
const LIKELY: Readonly<Record<LicensingKind, readonly LicensingOperation[]>> = {
  'install-request': [
    ...Array<LicensingOperation>(4).fill('accept-install-request'),
    'reject-install-request',
    'cancel-install-request',
  ],
  install: [...Array<LicensingOperation>(5).fill('create-license'), 'cancel-install'],
  license: ['renew-license', 'renew-license', 'renew-license', 'comment-license', 'expire-license'],
  renewal: [...Array<LicensingOperation>(4).fill('complete-renewal'), 'withdraw-renewal'],
};

export const nameOf = (model: LicensingModel, life: Life | null): string =>
  life === null ? 'nothing known' : `${life.kind} ${model.lives.indexOf(life)} (${life.state})`;

export const textOf = (model: LicensingModel, ask: Ask): string =>
  [
    `${ask.by}: ${ask.operation}`,
    ...(ask.operation === 'request-install' ? [] : [`of ${nameOf(model, ask.life)}`]),
    ...(ask.ifVersion === undefined ? [] : [`if at ${ask.ifVersion}`]),
    ...(ask.money == null ? [] : [`with money ${model.money.indexOf(ask.money)}`]),
    ...(ask.allowConcurrent === true ? ['also beside others'] : []),
  ].join(' ');

/** Returns the caller, which in most cases is one that may act. */
function callerOf({ by }: Wish, operation: LicensingOperation, life: Life): Who {
  const { who } = RULES[operation]!;
  const right = who === 'user' ? life.user : 'provider';
  if (by === 'right') return right;
  if (by === 'other') return right === 'provider' ? life.user : 'provider';
  return life.user === 'anna' ? 'ben' : 'anna';
}

const WEIGHTS: Readonly<Record<LicensingKind, number>> = {
  'install-request': 2,
  install: 2,
  license: 3,
  renewal: 5,
};

/** Applies a wish to a lifecycle that exists, and in most cases has not ended. */
export function asked(
  model: LicensingModel,
  wish: Wish,
  lives: readonly Life[] = model.lives,
): Ask {
  const alive = lives.filter((one) => !hasEnded(one));
  const weighed = alive.flatMap((one) => Array<Life>(WEIGHTS[one.kind]).fill(one));
  const life = among([...weighed, ...lives.filter(hasEnded)], wish.life)!;
  const kind = wish.oddity === 0 ? among(LIFECYCLE_KINDS, wish.money)! : life.kind;
  const operation = among(LIKELY[kind], wish.operation)!;
  const prepareUntilMs = model.nowMs + wish.hours * HOUR_MS;
  const mine = model.money.filter(({ renewal }) => renewal === life);
  const ifVersion = Math.max(1, life.steps.length + (wish.ifVersion ?? 0));
  return {
    operation,
    by: callerOf(wish, operation, life),
    life: wish.oddity === 1 ? null : life,
    ...(wish.ifVersion === undefined ? {} : { ifVersion }),
    ...(operation === 'renew-license'
      ? {
          allowConcurrent: wish.allowConcurrent,
          terms: {
            prepareUntilMs,
            settleBeforeMs: prepareUntilMs + HOUR_MS,
            extensionMs: wish.hours * HOUR_MS,
          },
        }
      : {}),
    ...(operation === 'complete-renewal'
      ? { money: among([...mine, ...mine, ...mine, ...model.money, null], wish.money) ?? null }
      : {}),
  };
}

export const choice = fc.nat(59);

export const wish = fc.record<Wish>({
  life: choice,
  operation: choice,
  by: fc.constantFrom('right', 'right', 'right', 'right', 'right', 'right', 'other', 'stranger'),
  name: fc.constantFrom(...NAMES),
  ifVersion: fc.constantFrom(undefined, undefined, undefined, 0, 0, 0, -1, 1),
  money: choice,
  allowConcurrent: fc.boolean(),
  hours: fc.integer({ min: 1, max: 3 }),
  oddity: fc.integer({ min: 0, max: 19 }),
});
