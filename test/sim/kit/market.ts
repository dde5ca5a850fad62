import { AmuletAllocation } from '../../../localnet/ledger/amulet/amulet-allocation.ts';
import { Refusal } from '../../../localnet/http/plain-errors.ts';
import {
  allocate,
  rejectRequest,
  tap,
  withdrawAllocation,
} from '../../../localnet/http/wallet/operations.ts';
import type { WalletUse } from '../../../localnet/http/wallet/use.ts';
import { heldContracts } from '../../../localnet/ledger/in-process.ts';
import type { HeldContract } from '../../../localnet/ledger/in-process.ts';
import { LedgerError } from '../../../localnet/ledger/ledger-error.ts';
import { jsonSource } from '../../../localnet/ledger/lf-json.ts';
import type { Json } from '../../../localnet/ledger/lf-json.ts';
import { AppInstall, AppInstallRequest } from '../../../localnet/ledger/licensing/app-install.ts';
import { License, LicenseRenewalRequest } from '../../../localnet/ledger/licensing/license.ts';
import type { TemplateDefinition } from '../../../localnet/ledger/package-definition.ts';
import type { RawSubmission } from '../../../localnet/ledger/submission.ts';
import type { SimLedger, Side } from './ledger.ts';

/** Short names of the templates whose contracts the population searches for. */
const TEMPLATES = {
  request: AppInstallRequest,
  install: AppInstall,
  license: License,
  renewal: LicenseRenewalRequest,
  allocation: AmuletAllocation,
} as const;
export type Thing = keyof typeof TEMPLATES;
type PayloadOf<T extends Thing> =
  (typeof TEMPLATES)[T] extends TemplateDefinition<infer Payload> ? Payload : never;

const NEVER = new AbortController().signal;

/** Everything on the ledger that does not come from Tenure: contracts, wallets, and other clients. */
export class Market {
  readonly #ledger: SimLedger;
  #commands = 0;

  constructor(ledger: SimLedger) {
    this.#ledger = ledger;
  }

  sideOf(party: string): Side {
    return party === this.#ledger.provider ? 'app-provider' : 'app-user';
  }

  /** Returns the active contracts that the party sees. */
  held<T extends Thing>(party: string, thing: T): readonly HeldContract<PayloadOf<T>>[] {
    const participant = this.#ledger.network.participants[this.sideOf(party)];
    const template = TEMPLATES[thing] as TemplateDefinition<PayloadOf<T>>;
    return heldContracts(participant, party, template);
  }

  /**
   * Submits a command for a party, as another client of the party's participant, and waits for the result. Refusals are
   * normal.
   */
  async directly(
    party: string,
    command: {
      readonly entity: string;
      readonly contractId?: string;
      readonly choice?: string;
      readonly argument: Json;
    },
    identity: Pick<RawSubmission, 'commandId'> & { readonly userId?: string } = {},
  ): Promise<boolean> {
    const participant = this.#ledger.network.participants[this.sideOf(party)];
    const [module = '', entity = ''] = command.entity.split(':');
    const templateId = { packageId: '#quickstart-licensing', module, entity };
    const argument = jsonSource(command.argument);
    const { contractId, choice } = command;
    this.#commands += 1;
    try {
      const submission = participant.readSubmission(
        {
          commandId: identity.commandId ?? `other-${this.#commands}`,
          actAs: [party],
          commands: [
            contractId === undefined || choice === undefined
              ? { kind: 'create', templateId, argument }
              : { kind: 'exercise', templateId, contractId, choice, argument },
          ],
        },
        identity.userId ?? 'other-client',
      );
      await participant.submitAndWait(submission, { signal: NEVER });
      return true;
    } catch (error) {
      return refused(error);
    }
  }

  #wallet(party: string): WalletUse {
    const { network } = this.#ledger;
    const participant = network.participants['app-user'];
    return { ledger: network, participant, party, userId: 'wallet', signal: NEVER };
  }

  async tap(party: string, amount: string): Promise<boolean> {
    return this.#quietly(() => tap(this.#wallet(party), { amount }));
  }

  /** Allocates the fee of a renewal. The wallet reads it from the request. */
  async allocate(renewal: PayloadOf<'renewal'>): Promise<boolean> {
    const meta = {
      'splice.lfdecentralizedtrust.org/reason': renewal.description,
      'cn-quickstart.example.org/licenseNum': renewal.licenseNum.toString(),
    };
    return this.#quietly(() =>
      allocate(this.#wallet(renewal.user), {
        settlement: {
          executor: renewal.provider,
          settlement_ref: { id: renewal.requestId, cid: null },
          requested_at: renewal.requestedAt.toString(),
          allocate_before: renewal.prepareUntil.toString(),
          settle_before: renewal.settleBefore.toString(),
          meta,
        },
        transfer_leg_id: 'licenseFeePayment',
        transfer_leg: { receiver: renewal.provider, amount: renewal.licenseFeeAmount, meta },
      }),
    );
  }

  async reject(party: string, contractId: string): Promise<boolean> {
    return this.#quietly(() => rejectRequest(this.#wallet(party), contractId));
  }

  async takeBack(party: string, contractId: string): Promise<boolean> {
    return this.#quietly(() => withdrawAllocation(this.#wallet(party), contractId));
  }

  async #quietly(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      return refused(error);
    }
  }
}

/** A refusal by the ledger or a wallet is normal in this simulation. */
function refused(error: unknown): false {
  if (error instanceof LedgerError || error instanceof Refusal) return false;
  throw error;
}
