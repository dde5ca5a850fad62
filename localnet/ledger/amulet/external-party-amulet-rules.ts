import { unitsOf } from '../decimal.ts';
import { party, record } from '../lf-types.ts';
import type { LfValue } from '../lf-types.ts';
import { implementChoice, template, typeNamer } from '../package-definition.ts';
import type { ChoiceContext } from '../package-definition.ts';
import { Allocate, AllocationFactory, PublicFetch } from '../tokens/allocation-instruction.ts';
import type { AllocateArgument, AllocateResult } from '../tokens/allocation-instruction.ts';
import { EMPTY_METADATA } from '../tokens/metadata.ts';
import { AmuletAllocation } from './amulet-allocation.ts';
import { amuletInstrument } from './amulet.ts';
import { lockAllocated } from './two-step-transfer.ts';

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

/** Everything that makes an allocation refused before a single amulet is looked at, in this order. */
function checkAllocation(
  ledger: ChoiceContext,
  dso: string,
  { allocation, requestedAt, inputHoldingCids }: AllocateArgument,
): void {
  const { settlement, transferLeg } = allocation;
  const { allocateBefore, settleBefore } = settlement;
  ledger.requireDeadlineExceeded('Allocation.settlement.requestedAt', settlement.requestedAt);
  ledger.requireDeadlineExceeded('requestedAt', requestedAt);
  ledger.requireWithinDeadline('Allocation.settlement.allocateBefore', allocateBefore);
  ledger.require(
    'Allocation.settlement.allocateBefore <= Allocation.settlement.settleBefore',
    allocateBefore <= settleBefore,
  );
  ledger.require('Transfer amount must be positive', unitsOf(transferLeg.amount) > 0n);
  const expected = amuletInstrument(dso);
  const { admin, id } = transferLeg.instrumentId;
  ledger.require(
    `Expected instrumentId ${expected.id} of '${expected.admin}' matches actual instrumentId ${id} of '${admin}'`,
    admin === expected.admin && id === expected.id,
  );
  ledger.require('At least one holding must be provided', inputHoldingCids.length > 0);
}

function allocate(
  ledger: ChoiceContext,
  { dso }: ExternalPartyAmuletRulesPayload,
  argument: AllocateArgument,
): AllocateResult {
  const { expectedAdmin, allocation, inputHoldingCids, extraArgs } = argument;
  requireExpectedAdmin(ledger, expectedAdmin, dso);
  checkAllocation(ledger, dso, argument);
  const { lockedAmulet, change } = lockAllocated(ledger, allocation, inputHoldingCids, extraArgs);
  const allocationCid = ledger.create(AmuletAllocation, { lockedAmulet, allocation });
  return {
    output: { tag: 'AllocationInstructionResult_Completed', value: { allocationCid } },
    senderChangeCids: change,
    meta: EMPTY_METADATA,
  };
}

/** The DSO party's agreement to allocations of its amulets. Disclosed to whoever wants to make one. */
export const ExternalPartyAmuletRules = template<ExternalPartyAmuletRulesPayload>({
  name: named('Splice.ExternalPartyAmuletRules:ExternalPartyAmuletRules'),
  payload: Payload,
  signatories: ({ dso }) => [dso],
  observers: () => [],
  implements: [
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
