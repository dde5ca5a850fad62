import { bool, contractId, list, numeric, optional, party, record, variant } from '../lf-types.ts';
import { template, typeNamer } from '../package-definition.ts';
import type { TemplateDefinition } from '../package-definition.ts';
import { Metadata } from '../tokens/metadata.ts';
import { AmuletCreateSummary } from './amulet.ts';
import { Round } from './round.ts';
import { TransferOutput } from './transfer.ts';

/*
 * The rules contracts of earlier builds of LocalNet, which lacked some fields of the published ones. They are needed
 * only to read old journals: at its start, every network replaces such contracts.
 */

const inModule = (entity: string) => typeNamer('splice-amulet')(`Splice.AmuletRules:${entity}`);

const neverRun = () => {
  throw new TypeError('rules of a former build are read, not exercised');
};

const transfer = {
  name: 'AmuletRules_Transfer',
  kind: 'nonconsuming',
  argument: record(inModule('AmuletRules_Transfer'), {
    transfer: record(inModule('Transfer'), {
      sender: party,
      provider: party,
      inputs: list(variant(inModule('TransferInput'), { InputAmulet: contractId })),
      outputs: list(TransferOutput),
    }),
    context: record(inModule('TransferContext'), { openMiningRound: contractId }),
    expectedDso: optional(party),
  }),
  result: record(inModule('TransferResult'), {
    round: Round,
    createdAmulets: list(
      variant(inModule('CreatedAmulet'), {
        TransferResultAmulet: contractId,
        TransferResultLockedAmulet: contractId,
      }),
    ),
    amuletPrice: numeric(10),
    senderChangeAmulet: optional(contractId),
    meta: optional(Metadata),
  }),
  controllers: neverRun,
  exercise: neverRun,
} as const;

const tap = {
  name: 'AmuletRules_DevNet_Tap',
  kind: 'nonconsuming',
  argument: record(inModule('AmuletRules_DevNet_Tap'), {
    receiver: party,
    amount: numeric(10),
    openRound: contractId,
  }),
  result: record(inModule('AmuletRules_DevNet_TapResult'), {
    amuletSum: AmuletCreateSummary,
    meta: optional(Metadata),
  }),
  controllers: neverRun,
  exercise: neverRun,
} as const;

const Payload = record(inModule('AmuletRules'), { dso: party, isDevNet: bool });

export const FormerAmuletRules: TemplateDefinition = template({
  name: inModule('AmuletRules'),
  payload: Payload,
  signatories: ({ dso }) => [dso],
  observers: () => [],
  choices: [transfer, tap],
});
