/** Thrown if a call of LocalNet's wallet failed or had an unexpected answer. */
export class WalletError extends Error {
  override readonly name = 'WalletError';
  readonly status: number;
  constructor(path: string, status: number, text: string) {
    super(`the wallet answered ${path} with ${status} ${text}`);
    this.status = status;
  }
}

interface AllocationRequest {
  readonly contract: {
    readonly contract_id: string;
    readonly payload: {
      readonly settlement: {
        readonly executor: string;
        readonly settlementRef: { readonly id: string; readonly cid: string | null };
        readonly requestedAt: string;
        readonly allocateBefore: string;
        readonly settleBefore: string;
        readonly meta: { readonly values: Readonly<Record<string, string>> };
      };
      readonly transferLegs: Readonly<
        Record<
          string,
          {
            readonly receiver: string;
            readonly amount: string;
            readonly meta: { readonly values: Readonly<Record<string, string>> };
          }
        >
      >;
    };
  };
}

/** Performs a user's actions in LocalNet's wallet, through the same routes as the wallet's page. */
export interface Wallet {
  /** Adds coins to the wallet. @param amount a decimal, in coins */
  tap(amount: string): Promise<void>;
  /** Accepts the request with this id. @returns the allocation's contract ID */
  accept(requestId: string): Promise<string>;
  reject(requestId: string): Promise<void>;
  withdraw(allocation: string): Promise<void>;
  /** Returns the balance as a decimal. */
  balance(): Promise<string>;
}

const CALL_MS = 10_000;

/** Returns microseconds since 1970. `Date.parse` has only milliseconds, so the fraction is taken from the text. */
function micros(iso: string): string {
  const fraction = /\.(\d{1,6})Z$/u.exec(iso)?.[1]?.padEnd(6, '0') ?? '000000';
  return `${Math.floor(Date.parse(iso) / 1_000)}${fraction}`;
}

/**
 * Opens the wallet of a user.
 *
 * @param url address of the validator, without a trailing slash
 * @param token access token of the wallet's user
 */
export function openWallet(url: string, token: string): Wallet {
  async function call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await fetch(`${url}/api/validator/v0${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(CALL_MS),
    });
    const text = await answer.text();
    if (!answer.ok) throw new WalletError(path, answer.status, text);
    return (text === '' ? {} : JSON.parse(text)) as Answer;
  }

  const REQUESTS = '/wallet/token-standard/allocation-requests';

  async function find(requestId: string): Promise<AllocationRequest> {
    const { allocation_requests: requests } = await call<{
      allocation_requests: readonly AllocationRequest[];
    }>('GET', REQUESTS);
    const found = requests.find(
      ({ contract }) => contract.payload.settlement.settlementRef.id === requestId,
    );
    if (found === undefined) throw new Error(`the wallet does not show request ${requestId}`);
    return found;
  }

  return {
    async tap(amount) {
      await call('POST', '/wallet/tap', { amount });
    },
    async accept(requestId) {
      const { settlement, transferLegs } = (await find(requestId)).contract.payload;
      const [[legId, leg] = []] = Object.entries(transferLegs);
      const { output } = await call<{ output: { allocation_cid: string } }>(
        'POST',
        '/allocations',
        {
          settlement: {
            executor: settlement.executor,
            settlement_ref: settlement.settlementRef,
            requested_at: micros(settlement.requestedAt),
            allocate_before: micros(settlement.allocateBefore),
            settle_before: micros(settlement.settleBefore),
            meta: settlement.meta.values,
          },
          transfer_leg_id: legId,
          transfer_leg: { receiver: leg?.receiver, amount: leg?.amount, meta: leg?.meta.values },
        },
      );
      return output.allocation_cid;
    },
    async reject(requestId) {
      const { contract } = await find(requestId);
      await call('POST', `${REQUESTS}/${contract.contract_id}/reject`);
    },
    async withdraw(allocation) {
      await call('POST', `/allocations/${allocation}/withdraw`);
    },
    async balance() {
      return (await call<{ effective_unlocked_qty: string }>('GET', '/wallet/balance'))
        .effective_unlocked_qty;
    },
  };
}
