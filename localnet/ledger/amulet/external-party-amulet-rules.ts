import { unitsOf } from '../decimal.ts';
import { party, record } from '../lf-types.ts';
import type { LfValue } from '../lf-types.ts';
import { implementChoice, template, typeNamer } from '../package-definition.ts';
import type { ChoiceContext } from '../package-definition.ts';
import { Allocate, AllocationFactory, PublicFetch } from '../tokens/allocation-instruction.ts';
import type { AllocateArgument, AllocateResult } from '../tokens/allocation-instruction.ts';
import { EMPTY_METADATA } from '../tokens/metadata.ts';
import {
  FetchTransferFactory,
  InstructTransfer,
  TransferFactory,
} from '../tokens/transfer-instruction.ts';
import { AmuletAllocation, allocationTransfer } from './amulet-allocation.ts';
import { amuletInstrument } from './amulet.ts';
import { instructTransfer } from './transfer-factory.ts';
import { paymentContext, prepareTransfer } from './two-step-transfer.ts';

const named = typeNamer('splice-amulet');

const Payload = record(named('Splice.ExternalPartyAmuletRules:ExternalPartyAmuletRules'), {
  dso: party,
});
type ExternalPartyAmuletRulesPayload = LfValue<typeof Payload>;

const view = ({ dso }: ExternalPartyAmuletRulesPayload) => ({ admin: dso, meta: EMPTY_METADATA });

function requireExpectedAdmin(ledger: ChoiceContext, expected: string, actual: string): void {
  const text = `Expected admin '${expected}' matches actual admin '${actual}'`;
  ledger.require(text, expected === actual);
}

/** Checks an allocation before its amulets are read. The order of the checks decides which error is reported. */
function checkAllocation(
  ledger: ChoiceContext,
  dso: string,
  { allocation, requestedAt, inputHoldingCids }: AllocateArgument,
): void {
  const { settlement, transferLeg } = allocation;
  const { allocateBefore, settleBefore } = settlement;
  ledger.requireDeadlineExceeded('Allocation.settlement.requestedAt', settlement.requestedAt);
  ledger.requireWithinDeadline('Allocation.settlement.allocateBefore', allocateBefore);
  ledger.require(
    'Allocation.settlement.allocateBefore <= Allocation.settlement.settleBefore',
    allocateBefore <= settleBefore,
  );
  ledger.require('Transfer amount must be positive', unitsOf(transferLeg.amount) > 0n);
  const expected = amuletInstrument(dso);
  const { admin, id } = transferLeg.instrumentId;
  const isExpected = admin === expected.admin && id === expected.id;
  ledger.require('Instrument-id must match the factory', isExpected);
  ledger.requireDeadlineExceeded('requestedAt', requestedAt);
  ledger.require('At least one input holding must be provided', inputHoldingCids.length > 0);
}

function allocate(
  ledger: ChoiceContext,
  { dso }: ExternalPartyAmuletRulesPayload,
  argument: AllocateArgument,
): AllocateResult {
  const { expectedAdmin, allocation, requestedAt, inputHoldingCids, extraArgs } = argument;
  requireExpectedAdmin(ledger, expectedAdmin, dso);
  const payment = paymentContext(ledger, dso, extraArgs, { isFeatured: false });
  checkAllocation(ledger, dso, argument);
  const { lockedAmulet, change, meta } = prepareTransfer(
    ledger,
    allocationTransfer(allocation),
    requestedAt,
    inputHoldingCids,
    payment,
  );
  const allocationCid = ledger.create(AmuletAllocation, { lockedAmulet, allocation });
  return {
    output: { tag: 'AllocationInstructionResult_Completed', value: { allocationCid } },
    senderChangeCids: change,
    meta,
  };
}

/**
 * The DSO party's agreement to transfers and allocations of its amulets. The network discloses this contract to a party
 * that makes a transfer or an allocation.
 */
export const ExternalPartyAmuletRules = template<ExternalPartyAmuletRulesPayload>({
  name: named('Splice.ExternalPartyAmuletRules:ExternalPartyAmuletRules'),
  payload: Payload,
  signatories: ({ dso }) => [dso],
  observers: () => [],
  implements: [
    {
      iface: TransferFactory,
      view,
      choices: {
        [InstructTransfer.name]: implementChoice(
          InstructTransfer,
          view,
          (ledger, { payload: { dso } }, argument) => {
            requireExpectedAdmin(ledger, argument.expectedAdmin, dso);
            return instructTransfer(ledger, dso, argument);
          },
        ),
        [FetchTransferFactory.name]: implementChoice(
          FetchTransferFactory,
          view,
          (ledger, { payload }, { expectedAdmin }) => {
            requireExpectedAdmin(ledger, expectedAdmin, payload.dso);
            return view(payload);
          },
        ),
      },
    },
    {
      iface: AllocationFactory,
      view,
      choices: {
        [Allocate.name]: implementChoice(Allocate, view, (ledger, { payload }, argument) =>
          allocate(ledger, payload, argument),
        ),
        [PublicFetch.name]: implementChoice(
          PublicFetch,
          view,
          (ledger, { payload }, { expectedAdmin }) => {
            requireExpectedAdmin(ledger, expectedAdmin, payload.dso);
            return view(payload);
          },
        ),
      },
    },
  ],
});
