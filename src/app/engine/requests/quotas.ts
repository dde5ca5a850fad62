import type { Party } from '../../../domain/ids.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { fail } from '../../../domain/problems.ts';
import { NO_QUOTAS, beginOfDay } from '../../../domain/quota.ts';
import { DAY_MS, SECOND_MS } from '../../../domain/time.ts';
import type { QuotaUse } from '../../ports/quotas.ts';
import type { Tx } from '../../ports/transaction.ts';
import type { Asked, RequestChangeDeps } from './change-request.ts';
import { TrafficCount } from '../lanes/traffic.ts';

type QuotaDeps = Pick<RequestChangeDeps, 'hosting' | 'model' | 'wallClock' | 'quotas' | 'traffic'>;

interface Use extends QuotaUse {
  readonly trafficPerDay: number;
}

/** The provider has no quotas, and its policies act as the provider. */
const isLimited = ({ hosting }: QuotaDeps, { caller }: Asked): boolean =>
  caller.party !== hosting.provider;

/**
 * The use of quotas by the tenants whose requests one transaction records. Nothing is locked, so concurrent
 * transactions do not count each other's requests.
 */
export class QuotaCount {
  readonly #deps: QuotaDeps;
  readonly #nowMs: number;
  readonly #used: Map<Party, Use>;

  private constructor(deps: QuotaDeps, nowMs: number, used: ReadonlyMap<Party, Use>) {
    this.#deps = deps;
    this.#nowMs = nowMs;
    this.#used = new Map(used);
  }

  /** @param all the requests to be recorded, which are not in the store yet */
  static async read(tx: Tx, deps: QuotaDeps, all: readonly Asked[]): Promise<QuotaCount> {
    const { openOperations, commentsPerDay, trafficPerDay } = deps.quotas ?? NO_QUOTAS;
    const nowMs = deps.wallClock.nowMs();
    const isOff = openOperations === 0 && commentsPerDay === 0 && trafficPerDay === 0;
    const limited = isOff ? [] : all.filter((asked) => isLimited(deps, asked));
    if (limited.length === 0) return new QuotaCount(deps, nowMs, new Map());
    const parties = [...new Set(limited.map(({ caller }) => caller.party))];
    const { comments } = deps.model;
    const since = new Date(beginOfDay(nowMs)).toISOString();
    const count = deps.traffic ?? new TrafficCount();
    const [used, traffic] = await Promise.all([
      tx.quotaUse(parties, { openOperations, commentsPerDay, comments, since }),
      trafficPerDay === 0 ? null : count.read(tx, parties, nowMs),
    ]);
    const withTraffic = ([party, use]: readonly [Party, QuotaUse]): [Party, Use] => [
      party,
      { ...use, trafficPerDay: traffic?.get(party) ?? 0 },
    ];
    return new QuotaCount(deps, nowMs, new Map([...used].map(withTraffic)));
  }

  /** @throws ProblemError `QUOTA_EXCEEDED` */
  check({ request, caller }: Asked): void {
    const use = this.#used.get(caller.party);
    if (use === undefined) return;
    const { openOperations, commentsPerDay, trafficPerDay } = this.#deps.quotas ?? NO_QUOTAS;
    const tomorrowMs = beginOfDay(this.#nowMs) + DAY_MS;
    if (openOperations > 0 && use.openOperations >= openOperations) {
      refuse('openOperations', openOperations, 'open operations', LIMITS.openOperationsRetryMs);
    }
    if (trafficPerDay > 0 && use.trafficPerDay >= trafficPerDay) {
      const words = 'bytes of ledger traffic a day';
      refuse('trafficPerDay', trafficPerDay, words, tomorrowMs - this.#nowMs);
    }
    if (!this.#deps.model.isAside(request.operation) || commentsPerDay === 0) return;
    if (use.commentsPerDay < commentsPerDay) return;
    refuse('commentsPerDay', commentsPerDay, 'comments a day', tomorrowMs - this.#nowMs);
  }

  /** Counts a request that this transaction has recorded. */
  add({ request, caller }: Asked): void {
    const use = this.#used.get(caller.party);
    if (use === undefined) return;
    const isComment = this.#deps.model.isAside(request.operation);
    this.#used.set(caller.party, {
      ...use,
      openOperations: use.openOperations + 1,
      commentsPerDay: use.commentsPerDay + (isComment ? 1 : 0),
    });
  }
}

function refuse(quota: keyof Use, limit: number, words: string, retryMs: number): never {
  const message = `the tenant has used its quota of ${limit} ${words}; nothing was recorded`;
  fail('QUOTA_EXCEEDED', message, {
    extra: { quota, limit, retryAfterS: Math.ceil(retryMs / SECOND_MS) },
  });
}
