import { expect, test } from 'vitest';
import type { BulkActs, BulkItem } from '../../../src/app/desk/bulk-acts.ts';
import type { Tx } from '../../../src/app/ports/transaction.ts';
import { NO_TRACER } from '../../../src/app/ports/tracing.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { Metrics } from '../../../src/ops/metrics.ts';
import { observeBulkActs } from '../../../src/ops/observed.ts';
import { samplesIn } from '../../kit/promql.ts';
import { PROVIDER, change, io, rejected, succeeded, writes } from '../../kit/store-rows.ts';

/* What an act on many operations does is counted once it is committed, and what ends so has ended like any other. */

const ITEM: BulkItem = {
  actId: 'act-1',
  n: 1,
  changeId: change().id,
  action: 'cancel',
  decision: null,
  reason: 'because',
  by: {
    party: PROVIDER,
    roles: new Set(['operator']),
    via: 'bearer',
    tenantId: '',
    subject: 'olga',
    name: 'olga',
  },
};

const cancelled = succeeded(change(), {
  state: 'cancelled',
  result: null,
  error: { code: 'CANCELLED', status: 409, message: 'not wanted' },
});

const tx = { save: () => Promise.resolve() } as unknown as Tx;

async function counted(perform: BulkActs['perform']): Promise<readonly string[]> {
  const metrics = new Metrics({ version: '0', roles: [], participants: [trusted('p')] });
  const acts = observeBulkActs({ perform } as BulkActs, { metrics, tracer: NO_TRACER });
  const work = async (inner: Tx) => {
    await inner.save(writes({ changes: [cancelled, rejected(change())] }));
    return { state: 'done', result: null } as const;
  };
  await acts.perform(ITEM, 1n, work, io()).catch(() => undefined);
  return samplesIn((await metrics.exposition()).text)
    .filter(({ name }) =>
      /^tenure_(?:bulk_items|operations_refused|operation_dur.*count)/u.test(name),
    )
    .filter(({ value }) => value > 0)
    .map(({ name, labels, value }) => [name, ...Object.values(labels), value].join(' '))
    .toSorted();
}

const ENDED = [
  'tenure_bulk_items_total cancel done 1',
  'tenure_operation_duration_seconds_count create-license cancelled 1',
  'tenure_operation_duration_seconds_count create-license rejected 1',
  'tenure_operations_refused_total CANCELLED none 1',
  'tenure_operations_refused_total LEDGER_REFUSED refused 1',
];

test.each<[string, BulkActs['perform'], readonly string[]]>([
  ['done', (_item, _epoch, work) => work(tx), ENDED],
  ['done at the second try', async (_item, _epoch, work) => work(tx).then(() => work(tx)), ENDED],
  ['no longer to be done', async (_item, _epoch, work) => work(tx).then(() => null), []],
  ['undone', (_item, _epoch, work) => work(tx).then(() => Promise.reject(new Error('killed'))), []],
  [
    'refused',
    async () => ({ state: 'refused', code: 'NOT_CANCELLABLE', message: 'it has ended' }),
    ['tenure_bulk_items_total cancel refused 1'],
  ],
])('an item that is %s', async (_what, perform, expected) => {
  expect(await counted(perform)).toEqual(expected);
});
