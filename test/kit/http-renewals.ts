import { expect } from 'vitest';
import type { ContractId } from '../../src/domain/ids.ts';
import { IO } from './http-api.ts';
import type { Populated } from './http-refusals.ts';
import { startPopulated } from './http-refusals.ts';
import { allocationFor } from './ledger-stand-in.ts';

/* Renewals over the API, with a ledger that executes commands at once, and a wallet. */

export const RENEW = {
  licenseFeeCc: 100,
  licenseExtensionDuration: 'P30D',
  prepareUntilDuration: 'PT10M',
  settleBeforeDuration: 'PT20M',
  description: 'One more month',
};

interface Shown {
  readonly contractId: string;
  readonly lifecycleId: string;
}

type Reply = ReturnType<Populated['provider']['post']>;

export interface RenewalsWorld extends Populated {
  /** Returns a new command ID. */
  command(): string;
  /** Runs `work` while the ledger executes no commands. */
  whileStopped(work: () => Promise<void>): Promise<void>;
  /** Creates a licence for one test, so that no test sees the renewals of another. */
  newLicense(): Promise<string>;
  /** Creates the first licence of a new install. Such a licence always has the number 1. */
  firstLicense(): Promise<string>;
  renew(license: string, over?: object, commandId?: string): Reply;
  /** Returns the licence in the form that its provider reads. */
  shown(license: string): Promise<Record<string, unknown>>;
  /** Returns the renewal of a licence that has exactly one. */
  renewalOf(license: string): Promise<Shown>;
  /** Allocates the fee from the user's wallet. @returns the contract ID of the allocation */
  allocate(renewal: string, over?: { amount?: string; requestId?: string }): Promise<ContractId>;
  complete(license: string, renewal: string, allocation: string, commandId?: string): Reply;
}

export async function startRenewalsWorld(): Promise<RenewalsWorld> {
  const world = await startPopulated();
  const { provider, api } = world;
  let following = api.ledger.follow();
  let count = 0;
  const command = (): string => `renewal-${(count += 1)}`;
  const shown = async (license: string) => (await provider.get(`/licenses/${license}`)).json();
  return {
    ...world,
    command,
    shown,
    async whileStopped(work) {
      await following.stop();
      await work();
      following = api.ledger.follow();
    },
    async newLicense() {
      const [install] = (await provider.get('/app-installs')).json();
      const path = `/app-installs/${install.contractId}:create-license?commandId=${command()}`;
      return (await provider.post(path, { params: {} })).json().licenseId;
    },
    async firstLicense() {
      const made = await world.user.post(`/app-install-requests?commandId=${command()}`);
      const accepted = await provider.post(
        `/app-install-requests/${made.json().contractId}:accept?commandId=${command()}`,
        { installMeta: {} },
      );
      const path = `/app-installs/${accepted.json().contractId}:create-license`;
      const created = await provider.post(`${path}?commandId=${command()}`, { params: {} });
      return created.json().licenseId;
    },
    renew: (license, over = {}, id = command()) =>
      provider.post(`/licenses/${license}:renew?commandId=${id}`, { ...RENEW, ...over }),
    async renewalOf(license) {
      const { renewalRequests } = await shown(license);
      expect(renewalRequests).toHaveLength(1);
      return renewalRequests[0];
    },
    async allocate(renewal, over = {}) {
      const view = await api.store.reads.lifecycle(renewal, IO);
      const allocation = allocationFor(view!.payload, over);
      await api.ledger.happen([allocation]);
      return allocation.contractId;
    },
    complete: (license, renewal, allocation, id = command()) =>
      provider.post(`/licenses/${license}:complete-renewal?commandId=${id}`, {
        renewalRequestContractId: renewal,
        allocationContractId: allocation,
      }),
    async [Symbol.asyncDispose]() {
      await following.stop();
      await api[Symbol.asyncDispose]();
    },
  };
}
