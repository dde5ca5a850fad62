import type { Ask } from './http-ask.ts';
import type { Populated } from './http-refusals.ts';
import { startPopulated } from './http-refusals.ts';

type Reply = Awaited<ReturnType<Ask['post']>>;

/**
 * A server with one contract of each kind, whose ledger can be stopped and started, and which makes more contracts on
 * demand.
 */
export interface ContractsWorld extends Populated {
  /** Returns a new command ID for a change. */
  id(what: string): string;
  /** Makes the ledger execute commands until it is paused. */
  follow(): void;
  pause(): Promise<void>;
  exercise(
    by: Ask,
    contract: string,
    choice: string,
    argument?: unknown,
    commandId?: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Reply>;
  /** Creates an install request. Returns its contract ID. */
  requested(): Promise<string>;
  installed(): Promise<string>;
  licensed(): Promise<string>;
  /** Creates a renewal request without a payment. */
  renewed(): Promise<string>;
}

export async function startContractsWorld(): Promise<ContractsWorld> {
  const world = await startPopulated();
  const { provider, user } = world;
  let following: { stop(): Promise<void> } | null = null;
  let count = 0;
  const id = (what: string): string => `contracts-${what}-${(count += 1)}`;
  const pause = async (): Promise<void> => {
    await following?.stop();
    following = null;
  };
  const requested = async (): Promise<string> =>
    (await user.post(`/app-install-requests?commandId=${id('request')}`)).json().contractId;
  const installed = async (): Promise<string> => {
    const accept = `/app-install-requests/${await requested()}:accept?commandId=${id('accept')}`;
    return (await provider.post(accept, { installMeta: {} })).json().contractId;
  };
  const licensed = async (): Promise<string> => {
    const create = `/app-installs/${await installed()}:create-license?commandId=${id('create')}`;
    return (await provider.post(create, { params: {} })).json().licenseId;
  };
  return {
    ...world,
    id,
    follow: () => {
      following ??= world.api.ledger.follow();
    },
    pause,
    exercise: (by, contract, choice, argument, commandId = id('exercise'), headers = {}) => {
      const url = `/api/contracts/${contract}/exercise?commandId=${commandId}`;
      return by.post(url, { choice, argument }, headers);
    },
    requested,
    installed,
    licensed,
    renewed: async () => {
      const license = await licensed();
      await provider.post(`/licenses/${license}:renew?commandId=${id('renew')}`, {
        licenseFeeCc: 100,
        licenseExtensionDuration: 'P30D',
        prepareUntilDuration: 'PT10M',
        settleBeforeDuration: 'PT20M',
        description: 'One more month',
      });
      return (await user.get(`/licenses/${license}`)).json().renewalRequests[0].contractId;
    },
    [Symbol.asyncDispose]: async () => {
      await pause();
      await world.api[Symbol.asyncDispose]();
    },
  };
}
