import type { LedgerClock } from '../clock.ts';
import { sameType } from '../contract.ts';
import type { Contract } from '../contract.ts';
import { TIMESTAMP_MICROS_MAX } from '../lf-values.ts';
import { entropy, newTraceparent, newUpdateId } from '../entropy.ts';
import { Interpreter } from '../interpreter.ts';
import type { LedgerStore } from '../ledger-store.ts';
import type { AmuletContracts } from '../ledger.ts';
import { UNIT } from '../lf-types.ts';
import { ARCHIVE_CHOICE } from '../package-definition.ts';
import type { TemplateDefinition } from '../package-definition.ts';
import type { PackageRegistry } from '../package-registry.ts';
import { recordTimeBetween } from '../parties.ts';
import { eventsOf } from '../update.ts';
import type { Submitter } from '../update.ts';
import { FIRST_ISSUANCE, TICK_DURATION, TRANSFER_CONFIG, initialConfig } from './amulet-config.ts';
import { AmuletRules } from './amulet-rules.ts';
import { ExternalPartyAmuletRules } from './external-party-amulet-rules.ts';
import { OpenMiningRound } from './round.ts';

/** LocalNet's only round never closes, because wallets need an open round at any time. */
const NEVER = TIMESTAMP_MICROS_MAX;

/** The contracts of a new network, in the order in which they are created. */
const initialContracts = (
  dso: string,
  synchronizerId: string,
  now: bigint,
): readonly (readonly [TemplateDefinition, unknown])[] => [
  [AmuletRules, { dso, configSchedule: initialConfig(synchronizerId), isDevNet: true }],
  [
    OpenMiningRound,
    {
      dso,
      round: { number: 0n },
      amuletPrice: '0.0050000000',
      opensAt: now,
      targetClosesAt: NEVER,
      issuingFor: { microseconds: 0n },
      transferConfigUsd: TRANSFER_CONFIG,
      issuanceConfig: FIRST_ISSUANCE,
      tickDuration: TICK_DURATION,
    },
  ],
  [ExternalPartyAmuletRules, { dso }],
];

/**
 * Returns the DSO party's contract of a template. These few contracts are the oldest ones of the party, so a search in
 * order of creation finds them before any amulets, which the party signs too.
 */
function activeOf(
  { state }: LedgerStore,
  dso: string,
  { name }: TemplateDefinition,
): Contract | undefined {
  const { contracts } = state.participants.sv;
  for (const contract of contracts.activeOf(dso, (template) => sameType(template.name, name))) {
    if (contract.signatories.includes(dso)) return contract;
  }
  return undefined;
}

export function amuletContractsOf(store: LedgerStore, dso: string): AmuletContracts | undefined {
  const amuletRules = activeOf(store, dso, AmuletRules);
  const openMiningRound = activeOf(store, dso, OpenMiningRound);
  const externalPartyAmuletRules = activeOf(store, dso, ExternalPartyAmuletRules);
  if (!amuletRules || !openMiningRound || !externalPartyAmuletRules) return undefined;
  return { amuletRules, openMiningRound, externalPartyAmuletRules };
}

interface Foundation {
  readonly store: LedgerStore;
  readonly registry: PackageRegistry;
  readonly clock: LedgerClock;
  readonly dso: string;
}

/**
 * Creates the DSO party's contracts that are missing, and replaces contracts that an earlier build of LocalNet created.
 * Only the super validator's participant sees the transaction.
 */
export function createAmuletContracts({ store, registry, clock, dso }: Foundation): void {
  const ledgerTime = clock.nowMicros();
  const missing = initialContracts(dso, store.state.synchronizerId, ledgerTime).filter(
    ([template]) => activeOf(store, dso, template)?.template !== template,
  );
  if (missing.length === 0) return;
  const former = missing.flatMap(([template]) => activeOf(store, dso, template) ?? []);
  const interpreter = new Interpreter(
    {
      registry,
      ledgerTime,
      seed: entropy(32),
      lookUp: (contractId) => former.find((contract) => contract.contractId === contractId),
      lookUpByPayload: () => [],
    },
    [dso],
  );
  for (const { template, contractId } of former) {
    interpreter.exercise(template, contractId, ARCHIVE_CHOICE, UNIT);
  }
  for (const [template, payload] of missing) {
    interpreter.create(template, registry.idOf(template.name.packageName), payload);
  }
  const { sv } = store.state.participants;
  const offset = sv.nextOffset();
  const updateId = newUpdateId();
  const submitter: Submitter = {
    participant: sv.name,
    userId: 'ledger-api-user',
    commandId: `dso-contracts:${updateId}`,
    submissionId: updateId,
    actAs: [dso],
  };
  const common = {
    updateId,
    submitter,
    recordTime: recordTimeBetween(store, clock),
    traceContext: { traceparent: newTraceparent() },
    paidTrafficCost: 0n,
  };
  store.commit({
    kind: 'transaction',
    transaction: {
      ...common,
      kind: 'transaction',
      ledgerTime,
      workflowId: '',
      events: eventsOf(interpreter.finish()),
      offsets: { [sv.name]: offset },
    },
    completion: { ...common, offset, rejection: undefined, deduplicationOffset: 0n },
  });
}
