import { unitsOf } from '../decimal.ts';
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
import { choice, template, typeNamer } from '../package-definition.ts';
import type { ChoiceContext, TemplateDefinition } from '../package-definition.ts';
import { Holding } from '../tokens/holding.ts';
import type { HoldingView, InstrumentId } from '../tokens/holding.ts';
import { Metadata } from '../tokens/metadata.ts';
import { Round, fetchOpenRound } from './round.ts';

const named = typeNamer('splice-amulet');

const RatePerRound = record(named('Splice.Fees:RatePerRound'), { rate: numeric(10) });

const ExpiringAmount = record(named('Splice.Fees:ExpiringAmount'), {
  initialAmount: numeric(10),
  createdAt: Round,
  ratePerRound: RatePerRound,
});

const AmuletPayload = record(named('Splice.Amulet:Amulet'), {
  dso: party,
  owner: party,
  amount: ExpiringAmount,
});
export type AmuletPayload = LfValue<typeof AmuletPayload>;

/** Amulets of LocalNet do not lose value with time. */
const HOLDING_FEE_PER_ROUND = '0.0000000000';

/** A new amulet's payload. */
export const amuletOf = (
  dso: string,
  owner: string,
  initialAmount: string,
  createdAt: LfValue<typeof Round>,
): AmuletPayload => ({
  dso,
  owner,
  amount: { initialAmount, createdAt, ratePerRound: { rate: HOLDING_FEE_PER_ROUND } },
});

/** Amulet, as the token standard names it. */
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
      ['splice.lfdecentralizedtrust.org/created-in-round', amount.createdAt.number.toString()],
      ['splice.lfdecentralizedtrust.org/rate-per-round', amount.ratePerRound.rate],
    ]),
  },
});

/** Some of the network's native token. */
export const Amulet = template<AmuletPayload>({
  name: named('Splice.Amulet:Amulet'),
  payload: AmuletPayload,
  signatories: ({ dso, owner }) => [dso, owner],
  observers: () => [],
  ensure: ({ amount }) =>
    unitsOf(amount.initialAmount) > 0n && unitsOf(amount.ratePerRound.rate) >= 0n,
  implements: [{ iface: Holding, view: (amulet) => holdingView(amulet, null), choices: {} }],
});

export const TimeLock = record(named('Splice.Expiry:TimeLock'), {
  holders: list(party),
  expiresAt: timestamp,
  optContext: optional(text),
});

const LockedAmuletPayload = record(named('Splice.Amulet:LockedAmulet'), {
  amulet: AmuletPayload,
  lock: TimeLock,
});
export type LockedAmuletPayload = LfValue<typeof LockedAmuletPayload>;

/** What was created, and in which round. */
export const AmuletCreateSummary = record(named('Splice.Amulet:AmuletCreateSummary'), {
  amulet: contractId,
  amuletPrice: numeric(10),
  round: Round,
});

const unlockResult = (entity: string) =>
  record(named(`Splice.Amulet:${entity}`), {
    amuletSum: AmuletCreateSummary,
    meta: optional(Metadata),
  });

const withRound = (entity: string) =>
  record(named(`Splice.Amulet:${entity}`), { openRoundCid: contractId });

function unlock(ledger: ChoiceContext, { amulet }: LockedAmuletPayload, openRoundCid: string) {
  const { amuletPrice, round } = fetchOpenRound(ledger, amulet.dso, openRoundCid);
  return { amuletSum: { amulet: ledger.create(Amulet, amulet), amuletPrice, round }, meta: null };
}

/** Ends a lock early: its holders and the owner agree. */
export const Unlock = choice({
  name: 'LockedAmulet_Unlock',
  kind: 'consuming',
  argument: withRound('LockedAmulet_Unlock'),
  result: unlockResult('LockedAmulet_UnlockResult'),
  controllers: ({ amulet, lock }: LockedAmuletPayload) => [amulet.owner, ...lock.holders],
  exercise: (ledger, { payload }, { openRoundCid }) => unlock(ledger, payload, openRoundCid),
});

/** The owner takes back what is locked no longer. */
export const OwnerExpireLock = choice({
  name: 'LockedAmulet_OwnerExpireLock',
  kind: 'consuming',
  argument: withRound('LockedAmulet_OwnerExpireLock'),
  result: unlockResult('LockedAmulet_OwnerExpireLockResult'),
  controllers: ({ amulet }: LockedAmuletPayload) => [amulet.owner],
  exercise: (ledger, { payload }, { openRoundCid }) => {
    ledger.requireDeadlineExceeded('Lock.expiresAt', payload.lock.expiresAt);
    return unlock(ledger, payload, openRoundCid);
  },
});

/** Amulet that its owner cannot spend before the lock ends. */
export const LockedAmulet: TemplateDefinition<LockedAmuletPayload> = template({
  name: named('Splice.Amulet:LockedAmulet'),
  payload: LockedAmuletPayload,
  signatories: ({ amulet, lock }) => [amulet.dso, amulet.owner, ...lock.holders],
  observers: () => [],
  choices: [Unlock, OwnerExpireLock],
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
