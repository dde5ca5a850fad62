import type { LifecycleId } from '../../../src/domain/ids.ts';
import type { Lifecycle } from '../../../src/domain/lifecycle.ts';
import type { SubscriptionRow } from './rows.ts';
import type { ServerTransaction } from './server.ts';

/** Makes a subscription due, as the trigger on lifecycles does. */
export async function wakeSubscription(
  tx: ServerTransaction,
  license: LifecycleId,
  to: Partial<SubscriptionRow> = {},
): Promise<SubscriptionRow | undefined> {
  const { subscriptions } = tx.tables;
  await tx.update(subscriptions, license, (row) => ({
    ...row,
    ...to,
    dueAtMs: Number.NEGATIVE_INFINITY,
    wakes: row.wakes + 1n,
  }));
  return subscriptions.get(tx, license);
}

/** Makes the subscriptions due whose licences or renewals are no longer as before. */
export async function wakeSubscriptions(
  tx: ServerTransaction,
  before: ReadonlyMap<LifecycleId, Lifecycle | undefined>,
): Promise<void> {
  for (const [id, was] of before) {
    const now = tx.tables.lifecycles.get(tx, id);
    if (was === undefined || now === undefined) continue;
    const license = now.kind === 'license' ? id : now.originId;
    if (license === null) continue;
    const isSame = was.endedAt === now.endedAt && was.expiresAt === now.expiresAt;
    if (!isSame) await wakeSubscription(tx, license);
  }
}
