import { AmuletRules, DevNetTap } from '../../../localnet/ledger/amulet/amulet-rules.ts';
import { returnArguments, transferArguments } from '../../kit/choice-contexts.ts';
import { exerciseAs, heldContract } from '../../../localnet/ledger/in-process.ts';
import { LedgerError } from '../../../localnet/ledger/ledger-error.ts';
import type { LedgerNetwork } from '../../../localnet/ledger/ledger-network.ts';
import { jsonSource } from '../../../localnet/ledger/lf-json.ts';
import type { Json } from '../../../localnet/ledger/lf-json.ts';
import type { LedgerCommand } from '../../../localnet/ledger/submission.ts';
import {
  Allocate,
  AllocationFactory,
} from '../../../localnet/ledger/tokens/allocation-instruction.ts';
import { AllocationRequest } from '../../../localnet/ledger/tokens/allocation-request.ts';
import { Allocation, WithdrawAllocation } from '../../../localnet/ledger/tokens/allocation.ts';
import type { TemplateName } from '../../../src/domain/ledger.ts';
import {
  ALLOCATION_REQUEST,
  APP_INSTALL,
  APP_INSTALL_REQUEST,
  LICENSE,
} from '../../../src/domain/licensing.ts';
import { NEVER } from './io.ts';

/** Returns the name of a type as commands write it. */
const nameOf = ({ packageName, moduleName, entityName }: TemplateName) => ({
  packageId: `#${packageName}`,
  module: moduleName,
  entity: entityName,
});

const META = { values: {} };
const EXTRA = { context: { values: {} }, meta: META };

/**
 * The acts of other clients on the same ledger: other programs of the provider, and a user's wallet. Each method
 * returns whether the ledger accepted the act.
 */
export class Others {
  readonly #network: LedgerNetwork;
  #commands = 0;

  constructor(network: LedgerNetwork) {
    this.#network = network;
  }

  requestInstall(user: string): Promise<boolean> {
    const payload = { provider: this.#network.parties.appProvider, user, meta: META };
    const argument = jsonSource(payload);
    return this.#submit(user, {
      kind: 'create',
      templateId: nameOf(APP_INSTALL_REQUEST),
      argument,
    });
  }

  acceptRequest = (contractId: string): Promise<boolean> =>
    this.#provider(APP_INSTALL_REQUEST, contractId, 'AppInstallRequest_Accept', {
      installMeta: META,
      meta: META,
    });

  rejectRequest = (contractId: string): Promise<boolean> =>
    this.#provider(APP_INSTALL_REQUEST, contractId, 'AppInstallRequest_Reject', { meta: META });

  /** Exercises the choice Archive, which every contract has. A user needs it if the package offers no other choice. */
  archiveRequest = (user: string, contractId: string): Promise<boolean> =>
    this.#exercise(user, APP_INSTALL_REQUEST, contractId, 'Archive', {});

  createLicense = (contractId: string): Promise<boolean> =>
    this.#provider(APP_INSTALL, contractId, 'AppInstall_CreateLicense', { params: { meta: META } });

  cancelInstall = (contractId: string): Promise<boolean> =>
    this.#provider(APP_INSTALL, contractId, 'AppInstall_Cancel', {
      actor: this.#network.parties.appProvider,
      meta: META,
    });

  expireLicense = (contractId: string): Promise<boolean> =>
    this.#provider(LICENSE, contractId, 'License_Expire', {
      actor: this.#network.parties.appProvider,
      meta: META,
    });

  withdrawRenewal = (contractId: string): Promise<boolean> =>
    this.#provider(ALLOCATION_REQUEST, contractId, 'AllocationRequest_Withdraw', {
      extraArgs: EXTRA,
    });

  /** Rejects a renewal in the wallet, so that nothing will be paid for it. */
  rejectRenewal = (user: string, contractId: string): Promise<boolean> =>
    this.#exercise(user, ALLOCATION_REQUEST, contractId, 'AllocationRequest_Reject', {
      actor: user,
      extraArgs: EXTRA,
    });

  /**
   * Allocates money for a renewal in the wallet: the requested amount, or the given one. @returns the allocation's
   * contract ID
   */
  async allocate(user: string, renewal: string, amount?: string): Promise<string | null> {
    const { participants, parties } = this.#network;
    const { amuletRules, openMiningRound, externalPartyAmuletRules } =
      this.#network.amuletContracts()!;
    const asked = heldContract(participants['app-user'], user, AllocationRequest, renewal);
    const [legId, leg] = [...(asked?.value.transferLegs ?? [])][0] ?? [];
    if (asked === undefined || legId === undefined || leg === undefined) return null;
    const holding = await this.#tap(user);
    const argument = {
      expectedAdmin: parties.dso,
      allocation: {
        settlement: asked.value.settlement,
        transferLegId: legId,
        transferLeg: { ...leg, amount: amount ?? leg.amount },
      },
      requestedAt: this.#network.nowMicros(),
      inputHoldingCids: [holding],
      extraArgs: transferArguments(amuletRules.contractId, openMiningRound.contractId),
    };
    const exercise = {
      ...this.#as(user),
      target: AllocationFactory,
      contractId: externalPartyAmuletRules.contractId,
      choice: Allocate,
      argument,
      disclosedContracts: [amuletRules, openMiningRound, externalPartyAmuletRules],
    };
    const made = await orRefused(exerciseAs(participants['app-user'], exercise, WAITING));
    if (made === null || made.result.output.tag !== 'AllocationInstructionResult_Completed') {
      return null;
    }
    return made.result.output.value.allocationCid;
  }

  async withdrawAllocation(user: string, contractId: string): Promise<boolean> {
    const { openMiningRound } = this.#network.amuletContracts()!;
    const exercise = {
      ...this.#as(user),
      target: Allocation,
      contractId,
      choice: WithdrawAllocation,
      argument: { extraArgs: returnArguments(openMiningRound.contractId, true) },
      disclosedContracts: [openMiningRound],
    };
    const { participants } = this.#network;
    return (await orRefused(exerciseAs(participants['app-user'], exercise, WAITING))) !== null;
  }

  async #tap(user: string): Promise<string> {
    const { amuletRules, openMiningRound } = this.#network.amuletContracts()!;
    const openRound = openMiningRound.contractId;
    const { result } = await exerciseAs(
      this.#network.participants['app-user'],
      {
        ...this.#as(user),
        target: AmuletRules,
        contractId: amuletRules.contractId,
        choice: DevNetTap,
        argument: { receiver: user, amount: '1000', openRound },
        disclosedContracts: [amuletRules, openMiningRound],
      },
      WAITING,
    );
    return result.amuletSum.amulet;
  }

  #as(party: string) {
    this.#commands += 1;
    return { userId: 'others', actAs: [party], commandId: `others-${this.#commands}` };
  }

  #provider(type: TemplateName, contractId: string, choice: string, argument: Json) {
    return this.#exercise(this.#network.parties.appProvider, type, contractId, choice, argument);
  }

  #exercise(
    party: string,
    type: TemplateName,
    contractId: string,
    choice: string,
    argument: Json,
  ): Promise<boolean> {
    return this.#submit(party, {
      kind: 'exercise',
      templateId: nameOf(type),
      contractId,
      choice,
      argument: jsonSource(argument),
    });
  }

  async #submit(party: string, command: LedgerCommand): Promise<boolean> {
    const { participants, parties } = this.#network;
    const side = party === parties.appProvider ? 'app-provider' : 'app-user';
    const { userId, ...fields } = this.#as(party);
    const node = participants[side];
    const submission = node.readSubmission({ ...fields, commands: [command] }, userId);
    return (await orRefused(node.submitAndWait(submission, WAITING))) !== null;
  }
}

const WAITING = { signal: NEVER };

/** Returns the result of a command; `null` if the ledger refuses the command. */
async function orRefused<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof LedgerError) return null;
    throw error;
  }
}
