import { expect, test } from 'vitest';
import type { BulkActs, BulkItem } from '../../../src/app/desk/bulk-acts.ts';
import type { SpanOptions, Tracer } from '../../../src/app/ports/tracing.ts';
import { NO_TRACER } from '../../../src/app/ports/tracing.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { Metrics } from '../../../src/ops/metrics.ts';
import { observeBulkActs, observeOutcomes } from '../../../src/ops/observed.ts';
import { samplesIn } from '../../kit/promql.ts';
import { PROVIDER, change, io, rejected, succeeded, writes } from '../../kit/store-rows.ts';

/* Committed changes are counted, no matter which process wrote them, and appear in the traces of their callers. */

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

const newMetrics = () => new Metrics({ version: '0', roles: [], participants: [trusted('p')] });

async function countedBy(metrics: Metrics): Promise<readonly string[]> {
  return samplesIn((await metrics.exposition()).text)
    .filter(({ name }) =>
      /^tenure_(?:bulk_items|operations_refused|operation_dur.*count)/u.test(name),
    )
    .filter(({ value }) => value > 0)
    .map(({ name, labels, value }) => [name, ...Object.values(labels), value].join(' '))
    .toSorted();
}

const SAVED = [
  writes({ changes: [cancelled, change()] }),
  writes({ changes: [rejected(change({ traceparent: 'asked-for' }))] }),
];

test('what callers ask for cannot make series without bounds', async () => {
  const metrics = new Metrics({ version: '0', roles: [], participants: [] });
  for (let n = 0; n < 5_000; n += 1) {
    metrics.answered({
      method: 'GET',
      route: `/r${n % 1_250}`,
      status: 200 + (n % 4) * 100,
      seconds: 1,
    });
  }
  const { text } = await metrics.exposition();
  const lines = text.match(/^tenure_http_request_duration_seconds_count\{.*/gmu) ?? [];
  expect(lines.length).toBeLessThanOrEqual(604);
  expect(lines.find((line) => line.includes('route="other",status="5xx"'))).toMatch(/ [1-9]\d+$/u);
});

test('what has ended is counted, and nothing else', async () => {
  const metrics = newMetrics();
  observeOutcomes('record answer', { metrics, tracer: NO_TRACER }).committed(SAVED, 0);
  expect(await countedBy(metrics)).toEqual([
    'tenure_operation_duration_seconds_count create-license cancelled 1',
    'tenure_operation_duration_seconds_count create-license rejected 1',
    'tenure_operations_refused_total CANCELLED none 1',
    'tenure_operations_refused_total LEDGER_REFUSED refused 1',
  ]);
});

test('each of them is a span of its own trace, from the beginning of the transaction', () => {
  const spans: (SpanOptions & { readonly name: string })[] = [];
  const tracer: Tracer = {
    isRecording: true,
    start(name, options) {
      spans.push({ name, ...options });
      return NO_TRACER.start(name, options);
    },
  };
  observeOutcomes('record answer', { metrics: newMetrics(), tracer }).committed(SAVED, 17);
  expect(
    spans.map(({ name, parent, startMs, attributes }) => [
      name,
      parent,
      startMs,
      attributes?.['tenure.state'],
      attributes?.['tenure.problem'],
    ]),
  ).toEqual([
    ['record answer', cancelled.traceparent, 17, 'cancelled', 'CANCELLED'],
    ['record answer', 'asked-for', 17, 'rejected', 'LEDGER_REFUSED'],
  ]);
});

test.each<[string, BulkActs['perform'], readonly string[]]>([
  [
    'done',
    async () => ({ state: 'done', result: null }),
    ['tenure_bulk_items_total cancel done 1'],
  ],
  ['no longer to be done', async () => null, []],
  ['undone', () => Promise.reject(new Error('killed')), []],
  [
    'refused',
    async () => ({ state: 'refused', code: 'NOT_CANCELLABLE', message: 'it has ended' }),
    ['tenure_bulk_items_total cancel refused 1'],
  ],
])('an item of an act on many that is %s', async (_what, perform, expected) => {
  const metrics = newMetrics();
  const acts = observeBulkActs({ perform } as BulkActs, metrics);
  const work = async () => ({ state: 'done', result: null }) as const;
  await acts.perform(ITEM, 1n, work, io()).catch(() => undefined);
  expect(await countedBy(metrics)).toEqual(expected);
});
