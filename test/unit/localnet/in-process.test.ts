import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Amulet, LockedAmulet } from '../../../localnet/ledger/amulet/amulet.ts';
import { AmuletAllocation } from '../../../localnet/ledger/amulet/amulet-allocation.ts';
import { AmuletRules, DevNetTap } from '../../../localnet/ledger/amulet/amulet-rules.ts';
import { returnArguments, transferArguments } from '../../kit/choice-contexts.ts';
import {
  contractJson,
  disclosureJson,
  exerciseAs,
  heldContract,
  heldContracts,
} from '../../../localnet/ledger/in-process.ts';
import { LedgerNetwork } from '../../../localnet/ledger/ledger-network.ts';
import type { AmuletContracts } from '../../../localnet/ledger/ledger.ts';
import {
  Allocate,
  AllocationFactory,
} from '../../../localnet/ledger/tokens/allocation-instruction.ts';
import { Allocation, WithdrawAllocation } from '../../../localnet/ledger/tokens/allocation.ts';
import { Holding } from '../../../localnet/ledger/tokens/holding.ts';
import { EMPTY_METADATA } from '../../../localnet/ledger/tokens/metadata.ts';

/*
 * The API within the process that the validator's HTTP interfaces use: it reads a party's contracts and submits
 * commands for the party.
 */

const waiting = { signal: new AbortController().signal };

let network: LedgerNetwork;
let user = '';
let dso: AmuletContracts;
let commands = 0;

beforeEach(async () => {
  network = await LedgerNetwork.open();
  user = network.parties.appUser;
  dso = network.amuletContracts()!;
});
afterEach(() => network?.close());

const asUser = () => {
  commands += 1;
  return { userId: 'wallet', actAs: [user], commandId: `wallet-${commands}` };
};

const participant = () => network.participants['app-user'];

async function tap(amount: string): Promise<string> {
  const { amuletRules, openMiningRound } = dso;
  const { result } = await exerciseAs(
    participant(),
    {
      ...asUser(),
      target: AmuletRules,
      contractId: amuletRules.contractId,
      choice: DevNetTap,
      argument: { receiver: user, amount, openRound: openMiningRound.contractId },
      disclosedContracts: [amuletRules, openMiningRound],
    },
    waiting,
  );
  return result.amuletSum.amulet;
}

const specification = (amount: string) => ({
  settlement: {
    executor: network.parties.appProvider,
    settlementRef: { id: 'a settlement', cid: null },
    requestedAt: network.nowMicros(),
    allocateBefore: network.nowMicros() + 60_000_000n,
    settleBefore: network.nowMicros() + 120_000_000n,
    meta: EMPTY_METADATA,
  },
  transferLegId: 'a leg',
  transferLeg: {
    sender: user,
    receiver: network.parties.appProvider,
    amount,
    instrumentId: { admin: network.parties.dso, id: 'Amulet' },
    meta: EMPTY_METADATA,
  },
});

async function allocate(amount: string, inputHoldingCids: readonly string[]) {
  const { amuletRules, openMiningRound, externalPartyAmuletRules } = dso;
  const { result } = await exerciseAs(
    participant(),
    {
      ...asUser(),
      target: AllocationFactory,
      contractId: externalPartyAmuletRules.contractId,
      choice: Allocate,
      argument: {
        expectedAdmin: network.parties.dso,
        allocation: specification(amount),
        requestedAt: network.nowMicros(),
        inputHoldingCids,
        extraArgs: transferArguments(amuletRules.contractId, openMiningRound.contractId),
      },
      disclosedContracts: [amuletRules, openMiningRound, externalPartyAmuletRules],
    },
    waiting,
  );
  if (result.output.tag !== 'AllocationInstructionResult_Completed') throw new Error('pending');
  return { allocationCid: result.output.value.allocationCid, change: result.senderChangeCids };
}

const balance = () =>
  heldContracts(participant(), user, Holding).map(({ value }) => [
    value.amount,
    value.lock !== null,
  ]);

describe('a party’s contracts', () => {
  it('are read by template and by interface', async () => {
    const amuletCid = await tap('12.5');
    expect(heldContracts(participant(), user, Amulet)).toMatchObject([
      { contract: { contractId: amuletCid }, value: { owner: user } },
    ]);
    expect(heldContract(participant(), user, Holding, amuletCid)?.json).toMatchObject({
      owner: user,
      amount: '12.5000000000',
      instrumentId: { admin: network.parties.dso, id: 'Amulet' },
      lock: null,
    });
  });

  it('are not read by another type, by another party or at another participant', async () => {
    const amuletCid = await tap('1');
    expect(heldContract(participant(), user, LockedAmulet, amuletCid)).toBeUndefined();
    expect(heldContract(participant(), user, Allocation, amuletCid)).toBeUndefined();
    const { appProvider } = network.parties;
    expect(heldContract(participant(), appProvider, Amulet, amuletCid)).toBeUndefined();
    const elsewhere = network.participants['app-provider'];
    expect(heldContract(elsewhere, user, Amulet, amuletCid)).toBeUndefined();
  });

  it('are shown as validators and registries show them', () => {
    const { amuletRules } = dso;
    const blob = expect.stringMatching(/^[A-Za-z0-9+/]+=*$/) as string;
    expect(contractJson(amuletRules)).toEqual({
      template_id:
        '3ca1343ab26b453d38c8adb70dca5f1ead8440c42b59b68f070786955cbf9ec1:Splice.AmuletRules:AmuletRules',
      contract_id: amuletRules.contractId,
      payload: {
        dso: network.parties.dso,
        isDevNet: true,
        configSchedule: expect.objectContaining({ futureValues: [] }) as unknown,
      },
      created_event_blob: blob,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
    });
    expect(disclosureJson(amuletRules, network.synchronizerId)).toEqual({
      templateId: contractJson(amuletRules).template_id,
      contractId: amuletRules.contractId,
      createdEventBlob: blob,
      synchronizerId: network.synchronizerId,
    });
  });
});

describe('a submission', () => {
  it('gives the choice’s result', async () => {
    const amuletCid = await tap('100');
    const { allocationCid, change } = await allocate('30', [amuletCid]);
    expect(balance()).toEqual([
      ['30.0000000000', true],
      ['70.0000000000', false],
    ]);
    expect(heldContracts(participant(), user, AmuletAllocation)).toHaveLength(1);
    const locked = network.lockedAmuletOf(allocationCid)!;
    expect(heldContract(participant(), user, Holding, locked.contractId)?.value.amount).toBe(
      '30.0000000000',
    );
    const { result } = await exerciseAs(
      participant(),
      {
        ...asUser(),
        target: Allocation,
        contractId: allocationCid,
        choice: WithdrawAllocation,
        argument: { extraArgs: returnArguments(dso.openMiningRound.contractId, true) },
        disclosedContracts: [dso.openMiningRound],
      },
      waiting,
    );
    expect(balance()).toEqual([
      ['70.0000000000', false],
      ['30.0000000000', false],
    ]);
    expect(result.senderHoldingCids).toHaveLength(1);
    expect(change).toHaveLength(1);
    expect(network.lockedAmuletOf(allocationCid)).toBeUndefined();
  });

  it('is refused like any other', async () => {
    await expect(tap('-1')).rejects.toMatchObject({ code: 'TEMPLATE_PRECONDITION_VIOLATED' });
    await expect(tap('one')).rejects.toMatchObject({ code: 'COMMAND_PREPROCESSING_FAILED' });
    const amuletCid = await tap('1');
    await expect(allocate('2', [amuletCid])).rejects.toMatchObject({
      code: 'DAML_FAILURE',
      message: expect.stringContaining('ITR_InsufficientFunds {missingAmount = 1.0}') as string,
    });
  });
});
