import type { LifecycleView } from '../../app/ports/views.ts';
import type { JsonRecord } from '../../domain/json.ts';
import { assert } from '../../domain/unreachable.ts';
import type { LifecycleRow } from './lifecycle-row.ts';
import { lifecycleFromRow } from './lifecycle-row.ts';

/** Returns a lifecycle with the payload of its contract. Both were written in the same transaction. */
export function viewFromRow(
  row: LifecycleRow & { readonly payload: JsonRecord | null },
): Pick<LifecycleView, 'lifecycle' | 'payload'> {
  assert(row.payload !== null, `the query store holds the contract of lifecycle ${row.id}`);
  return { lifecycle: lifecycleFromRow(row), payload: row.payload };
}
