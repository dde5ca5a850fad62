import { int64, list, numeric, optional, record, text, timestamp } from '../lf-types.ts';
import type { LfType, LfValue } from '../lf-types.ts';
import { typeNamer } from '../package-definition.ts';
import { RelTime, setOf, tuple2 } from '../standard-library.ts';

/*
 * The fees and rewards of the network's token, in the form in which its rules contract stores them. LocalNet's network
 * charges no fees for transfers, and coins do not lose value over time.
 */

const named = typeNamer('splice-amulet');

const schedule = <T, A>(time: LfType<T>, of: LfType<A>) =>
  record(named('Splice.Schedule:Schedule'), {
    initialValue: of,
    futureValues: list(tuple2(time, of)),
  });

export const RatePerRound = record(named('Splice.Fees:RatePerRound'), { rate: numeric(10) });
const FixedFee = record(named('Splice.Fees:FixedFee'), { fee: numeric(10) });
const SteppedRate = record(named('Splice.Fees:SteppedRate'), {
  initialRate: numeric(10),
  steps: list(tuple2(numeric(10), numeric(10))),
});

export const TransferConfig = record(named('Splice.AmuletConfig:TransferConfig'), {
  createFee: FixedFee,
  holdingFee: RatePerRound,
  transferFee: SteppedRate,
  lockHolderFee: FixedFee,
  extraFeaturedAppRewardAmount: numeric(10),
  maxNumInputs: int64,
  maxNumOutputs: int64,
  maxNumLockHolders: int64,
});

export const IssuanceConfig = record(named('Splice.Issuance:IssuanceConfig'), {
  amuletToIssuePerYear: numeric(10),
  validatorRewardPercentage: numeric(10),
  appRewardPercentage: numeric(10),
  validatorRewardCap: numeric(10),
  featuredAppRewardCap: numeric(10),
  unfeaturedAppRewardCap: numeric(10),
  optValidatorFaucetCap: optional(numeric(10)),
});

const inSynchronizers = (entity: string) => named(`Splice.DecentralizedSynchronizer:${entity}`);

const SynchronizerConfig = record(inSynchronizers('AmuletDecentralizedSynchronizerConfig'), {
  requiredSynchronizers: setOf(text),
  activeSynchronizer: text,
  fees: record(inSynchronizers('SynchronizerFeesConfig'), {
    baseRateTrafficLimits: record(inSynchronizers('BaseRateTrafficLimits'), {
      burstAmount: int64,
      burstWindow: RelTime,
    }),
    extraTrafficPrice: numeric(10),
    readVsWriteScalingFactor: int64,
    minTopupAmount: int64,
  }),
});

const AmuletConfig = record(named('Splice.AmuletConfig:AmuletConfig'), {
  transferConfig: TransferConfig,
  issuanceCurve: schedule(RelTime, IssuanceConfig),
  decentralizedSynchronizer: SynchronizerConfig,
  tickDuration: RelTime,
  packageConfig: record(named('Splice.AmuletConfig:PackageConfig'), {
    amulet: text,
    amuletNameService: text,
    dsoGovernance: text,
    validatorLifecycle: text,
    wallet: text,
    walletPayments: text,
  }),
  transferPreapprovalFee: optional(numeric(10)),
  featuredAppActivityMarkerAmount: optional(numeric(10)),
});

export const ConfigSchedule = schedule(timestamp, AmuletConfig);
export type ConfigSchedule = LfValue<typeof ConfigSchedule>;

const FREE = '0.0000000000';
const MINUTE_MICROS = 60_000_000n;
const HOUR_MICROS = 60n * MINUTE_MICROS;
const YEAR_MICROS = 365n * 24n * HOUR_MICROS;

export const TICK_DURATION: RelTime = { microseconds: 10n * MINUTE_MICROS };

/** Fees are in USD. */
export const TRANSFER_CONFIG: LfValue<typeof TransferConfig> = {
  createFee: { fee: FREE },
  holdingFee: { rate: FREE },
  transferFee: { initialRate: FREE, steps: [] },
  lockHolderFee: { fee: FREE },
  extraFeaturedAppRewardAmount: '1.0000000000',
  maxNumInputs: 100n,
  maxNumOutputs: 100n,
  maxNumLockHolders: 10n,
};

const issuance = (
  amuletToIssuePerYear: string,
  validatorRewardPercentage: string,
  appRewardPercentage: string,
): LfValue<typeof IssuanceConfig> => ({
  amuletToIssuePerYear,
  validatorRewardPercentage,
  appRewardPercentage,
  validatorRewardCap: '0.2000000000',
  featuredAppRewardCap: '100.0000000000',
  unfeaturedAppRewardCap: '0.6000000000',
  optValidatorFaucetCap: { some: '2.8500000000' },
});

/** The issuance curve of the first round. */
export const FIRST_ISSUANCE = issuance('40000000000.0000000000', '0.0500000000', '0.1500000000');

const LATER_ISSUANCE = [
  [YEAR_MICROS / 2n, '20000000000.0000000000', '0.1200000000', '0.4000000000'],
  [(3n * YEAR_MICROS) / 2n, '10000000000.0000000000', '0.1800000000', '0.6200000000'],
  [5n * YEAR_MICROS, '5000000000.0000000000', '0.2100000000', '0.6900000000'],
  [10n * YEAR_MICROS, '2500000000.0000000000', '0.2000000000', '0.7500000000'],
] as const;

/** USD per day for a preapproval. */
export const PREAPPROVAL_FEE = '0.0027400000';

/** Returns the configuration of a network with one synchronizer. */
export const initialConfig = (synchronizerId: string): ConfigSchedule => ({
  initialValue: {
    transferConfig: TRANSFER_CONFIG,
    issuanceCurve: {
      initialValue: FIRST_ISSUANCE,
      futureValues: LATER_ISSUANCE.map(([microseconds, perYear, validators, apps]) => ({
        _1: { microseconds },
        _2: issuance(perYear, validators, apps),
      })),
    },
    decentralizedSynchronizer: {
      requiredSynchronizers: { map: [[synchronizerId, {}]] },
      activeSynchronizer: synchronizerId,
      fees: {
        baseRateTrafficLimits: {
          burstAmount: 400_000n,
          burstWindow: { microseconds: 20n * MINUTE_MICROS },
        },
        extraTrafficPrice: '16.6700000000',
        readVsWriteScalingFactor: 4n,
        minTopupAmount: 200_000n,
      },
    },
    tickDuration: TICK_DURATION,
    packageConfig: {
      amulet: '0.1.14',
      amuletNameService: '0.1.14',
      dsoGovernance: '0.1.19',
      validatorLifecycle: '0.1.5',
      wallet: '0.1.14',
      walletPayments: '0.1.14',
    },
    transferPreapprovalFee: null,
    featuredAppActivityMarkerAmount: null,
  },
  futureValues: [],
});

/** Returns the configuration that is in force at a time, in microseconds. */
export function configAt({ initialValue, futureValues }: ConfigSchedule, micros: bigint) {
  return futureValues.findLast(({ _1: from }) => from <= micros)?._2 ?? initialValue;
}
