import type { Leases, Outbox, Store, Tx } from '../../src/app/ports.ts';
import type { Change } from '../../src/domain/change.ts';
import { arrival, io, writes } from './store-rows.ts';

/** A store with nothing in it, and what belongs to it. */
export interface StoreUnderTest extends AsyncDisposable {
  readonly store: Store;
  readonly outbox: Outbox;
  readonly leases: Leases;
}

export type MakeStore = () => Promise<StoreUnderTest>;

/** One transaction that saves. */
export const save = (store: Store, some: Parameters<typeof writes>[0]): Promise<void> =>
  store.transact(io(), (tx) => tx.save(writes(some)));

/** A change at the head of its lane, with its effect due. */
export async function arrive(store: Store, change: Change): Promise<void> {
  await store.transact(io(), async (tx) => {
    await tx.lock([change.lane]);
    await tx.save(writes(arrival(change)));
  });
}

export const read = <T>(store: Store, work: (tx: Tx) => Promise<T>): Promise<T> =>
  store.transact(io(), work);

/** Dispatches everything that is due and tells what it was. */
export async function dispatchAll(
  outbox: Outbox,
): Promise<readonly { readonly id: string; readonly dispatchNo: number }[]> {
  const taken: { id: string; dispatchNo: number }[] = [];
  const put = async (effects: readonly { id: string; dispatchNo: number }[]): Promise<void> => {
    taken.push(...effects);
  };
  await outbox.dispatchDue(100, put, io());
  return taken;
}
