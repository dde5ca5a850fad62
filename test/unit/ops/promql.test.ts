import { expect, test } from 'vitest';
import { missingFor, samplesIn } from '../../kit/promql.ts';

/* The check that compares dashboards and alert rules with the metrics must find mistakes. */

const SAMPLES = samplesIn(`# HELP a_total Something.
# TYPE a_total counter
a_total{state="open",kind="x"} 1
a_total{state="over",kind="x"} 2e+3
b_seconds 0.5
c_seconds_bucket{le="+Inf"} 3
`);

test('samples are read with their labels', () => {
  expect(SAMPLES.at(1)).toEqual({
    name: 'a_total',
    labels: { state: 'over', kind: 'x' },
    value: 2_000,
  });
  expect(SAMPLES.map(({ name }) => name)).toEqual([
    'a_total',
    'a_total',
    'b_seconds',
    'c_seconds_bucket',
  ]);
});

test.each([
  'a_total',
  'sum by (state) (rate(a_total{kind="x"}[$__rate_interval])) > 3',
  'max by (instance) (b_seconds) / on (job) b_seconds',
  'a_total{state=~"open|none"} or absent(b_seconds)',
  'histogram_quantile(0.99, sum by (le) (rate(c_seconds_bucket[5m])))',
])('%s asks for what is there', (expression) => {
  expect(missingFor(expression, SAMPLES)).toEqual([]);
});

test.each([
  ['rate(a_totals[5m])', 'a_totals: is no metric'],
  ['b_seconds / d_seconds', 'd_seconds: is no metric'],
  ['a_total{stat="open"}', 'a_total: has no label stat'],
  ['b_seconds{state=~".+"}', 'b_seconds: has no label state'],
  ['a_total{state="opened"}', 'a_total: state is never opened'],
  ['sum by (party) (a_total)', 'sum by (party) (a_total): nothing has label party'],
  ['a_total / on (le) b_seconds', 'a_total / on (le) b_seconds: nothing has label le'],
  ['sum(a_total', 'sum(a_total: is no PromQL over metrics'],
  ['1 + 1', '1 + 1: is no PromQL over metrics'],
])('%s does not', (expression, missing) => {
  expect(missingFor(expression, SAMPLES)).toContain(missing);
});
