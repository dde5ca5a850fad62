import { abort } from '../contract-failures.ts';
import { decimalOf, divideUnits, unitsOf } from '../decimal.ts';
import {
  contractId,
  list,
  numeric,
  optional,
  party,
  record,
  text,
  timestamp,
} from '../lf-types.ts';
import type { LfValue } from '../lf-types.ts';
import { showNumeric } from '../lf-show.ts';
import { INT64_MAX } from '../lf-values.ts';
import { choice, template, typeNamer } from '../package-definition.ts';
import type { ChoiceContext, TemplateDefinition } from '../package-definition.ts';
import { Holding } from '../tokens/holding.ts';
import type { HoldingView, InstrumentId } from '../tokens/holding.ts';
import { Metadata } from '../tokens/metadata.ts';
import { RatePerRound } from './amulet-config.ts';
import { Round, fetchOpenRound } from './round.ts';
import { AMULET_PREFIX, transactionMetadata } from './transaction-metadata.ts';

const named = typeNamer('splice-amulet');
const inModule = (entity: string) => named(`Splice.Amulet:${entity}`);

const ExpiringAmount = record(named('Splice.Fees:ExpiringAmount'), {
  initialAmount: numeric(10),
  createdAt: Round,
  ratePerRound: RatePerRound,
});
type ExpiringAmount = LfValue<typeof ExpiringAmount>;

const AmuletPayload = record(inModule('Amulet'), {
  dso: party,
  owner: party,
  amount: ExpiringAmount,
});
export type AmuletPayload = LfValue<typeof AmuletPayload>;

/** Returns the token standard's ID of amulet. */
export const amuletInstrument = (dso: string): InstrumentId => ({ admin: dso, id: 'Amulet' });

const holdingView = (
  { dso, owner, amount }: AmuletPayload,
  lock: HoldingView['lock'],
): HoldingView => ({
  owner,
  instrumentId: amuletInstrument(dso),
  amount: amount.initialAmount,
  lock,
  meta: {
    values: new Map([
      [`${AMULET_PREFIX}created-in-round`, amount.createdAt.number.toString()],
      [`${AMULET_PREFIX}rate-per-round`, showNumeric(amount.ratePerRound.rate)],
    ]),
  },
});

/**
 * Returns the initial amount, in units, that a coin created in round 0 would need to have the same value as this coin
 * in every later round.
 */
export const valueAsOfRound0 = ({ initialAmount, createdAt, ratePerRound }: ExpiringAmount) =>
  unitsOf(initialAmount) + unitsOf(ratePerRound.rate) * createdAt.number;

const ExpireSummary = record(inModule('AmuletExpireSummary'), {
  owner: party,
  round: Round,
  changeToInitialAmountAsOfRoundZero: numeric(10),
  changeToHoldingFeesRate: numeric(10),
});

const expireResult = (entity: string) =>
  record(inModule(entity), { expireSum: ExpireSummary, meta: optional(Metadata) });

const withExpiryRound = (entity: string) => record(inModule(entity), { roundCid: contractId });

const ONE = unitsOf('1.0000000000');

/**
 * Returns the number of rounds after which holding fees have used up an amount; `undefined` if a round's number cannot
 * be that large.
 */
function roundsUntilExpired(
  ledger: ChoiceContext,
  { initialAmount, ratePerRound }: ExpiringAmount,
): bigint | undefined {
  const [amount, rate] = [unitsOf(initialAmount), unitsOf(ratePerRound.rate)];
  if (rate <= 0n) {
    const shown = showNumeric(ratePerRound.rate);
    return abort(ledger, `boundedDivDecimal: negative second operand ${shown}`);
  }
  const rounds = (divideUnits(amount, rate) + ONE - 1n) / ONE;
  return rounds > INT64_MAX ? undefined : rounds;
}

/** Checks that holding fees have used up a coin completely. Returns the changes of its owner's balance. */
function expire(ledger: ChoiceContext, { dso, owner, amount }: AmuletPayload, roundCid: string) {
  const { round } = fetchOpenRound(ledger, dso, roundCid);
  const rounds = roundsUntilExpired(ledger, amount);
  const isExpired = rounds !== undefined && amount.createdAt.number + rounds <= round.number - 2n;
  ledger.require('Amulet is expired', isExpired);
  return {
    expireSum: {
      owner,
      round: amount.createdAt,
      changeToInitialAmountAsOfRoundZero: decimalOf(-valueAsOfRound0(amount)) ?? '',
      changeToHoldingFeesRate: decimalOf(-unitsOf(amount.ratePerRound.rate)) ?? '',
    },
    meta: { some: transactionMetadata('expire-dust', { burned: amount.initialAmount }) },
  };
}

const ExpireAmulet = choice({
  name: 'Amulet_Expire',
  kind: 'consuming',
  argument: withExpiryRound('Amulet_Expire'),
  result: expireResult('Amulet_ExpireResult'),
  controllers: ({ dso }: AmuletPayload) => [dso],
  exercise: (ledger, { payload }, { roundCid }) => expire(ledger, payload, roundCid),
});

/** An amount of the network's native token. */
export const Amulet: TemplateDefinition<AmuletPayload> = template({
  name: inModule('Amulet'),
  payload: AmuletPayload,
  signatories: ({ dso, owner }) => [dso, owner],
  observers: () => [],
  ensure: ({ amount }) =>
    unitsOf(amount.initialAmount) > 0n &&
    unitsOf(amount.ratePerRound.rate) >= 0n &&
    amount.createdAt.number >= 0n,
  choices: [ExpireAmulet],
  implements: [{ iface: Holding, view: (amulet) => holdingView(amulet, null), choices: {} }],
});

export const TimeLock = record(named('Splice.Expiry:TimeLock'), {
  holders: list(party),
  expiresAt: timestamp,
  optContext: optional(text),
});
export type TimeLock = LfValue<typeof TimeLock>;

const LockedAmuletPayload = record(inModule('LockedAmulet'), {
  amulet: AmuletPayload,
  lock: TimeLock,
});
export type LockedAmuletPayload = LfValue<typeof LockedAmuletPayload>;

/** Describes a new amulet: its contract, its price, and its round. */
export const AmuletCreateSummary = record(inModule('AmuletCreateSummary'), {
  amulet: contractId,
  amuletPrice: numeric(10),
  round: Round,
});

const unlockResult = (entity: string) =>
  record(inModule(entity), { amuletSum: AmuletCreateSummary, meta: optional(Metadata) });

const withRound = (entity: string) => record(inModule(entity), { openRoundCid: contractId });

const unlocked = (
  ledger: ChoiceContext,
  { amulet }: LockedAmuletPayload,
  { amuletPrice, round }: ReturnType<typeof fetchOpenRound>,
  reason: string,
) => ({
  amuletSum: { amulet: ledger.create(Amulet, amulet), amuletPrice, round },
  meta: { some: transactionMetadata('unlock', { reason }) },
});

/** Ends a lock early. All holders of the lock and the owner must agree. */
export const Unlock = choice({
  name: 'LockedAmulet_Unlock',
  kind: 'consuming',
  argument: withRound('LockedAmulet_Unlock'),
  result: unlockResult('LockedAmulet_UnlockResult'),
  controllers: ({ amulet, lock }: LockedAmuletPayload) => [amulet.owner, ...lock.holders],
  exercise: (ledger, { payload }, { openRoundCid }) => {
    const openRound = fetchOpenRound(ledger, payload.amulet.dso, openRoundCid);
    return unlocked(ledger, payload, openRound, 'holders released lock');
  },
});

/** Unlocks coins whose lock has expired, at the owner's request. */
export const OwnerExpireLock = choice({
  name: 'LockedAmulet_OwnerExpireLock',
  kind: 'consuming',
  argument: withRound('LockedAmulet_OwnerExpireLock'),
  result: unlockResult('LockedAmulet_OwnerExpireLockResult'),
  controllers: ({ amulet }: LockedAmuletPayload) => [amulet.owner],
  exercise: (ledger, { payload }, { openRoundCid }) => {
    const openRound = fetchOpenRound(ledger, payload.amulet.dso, openRoundCid);
    ledger.requireDeadlineExceeded('Lock.expiresAt', payload.lock.expiresAt);
    return unlocked(ledger, payload, openRound, 'lock expired');
  },
});

const ExpireLocked = choice({
  name: 'LockedAmulet_ExpireAmulet',
  kind: 'consuming',
  argument: withExpiryRound('LockedAmulet_ExpireAmulet'),
  result: expireResult('LockedAmulet_ExpireAmuletResult'),
  controllers: ({ amulet }: LockedAmuletPayload) => [amulet.dso],
  exercise: (ledger, { payload: { amulet, lock } }, { roundCid }) => {
    ledger.requireDeadlineExceeded('Lock.expiresAt', lock.expiresAt);
    return expire(ledger, amulet, roundCid);
  },
});

/** Amulet that its owner cannot spend until the lock ends. */
export const LockedAmulet: TemplateDefinition<LockedAmuletPayload> = template({
  name: inModule('LockedAmulet'),
  payload: LockedAmuletPayload,
  signatories: ({ amulet, lock }) => [amulet.dso, amulet.owner, ...lock.holders],
  observers: () => [],
  choices: [Unlock, OwnerExpireLock, ExpireLocked],
  implements: [
    {
      iface: Holding,
      view: ({ amulet, lock }) =>
        holdingView(amulet, {
          some: {
            holders: lock.holders,
            expiresAt: { some: lock.expiresAt },
            expiresAfter: null,
            context: lock.optContext,
          },
        }),
      choices: {},
    },
  ],
});
