import { expect, test } from 'vitest';
import type { Figures } from '../../../src/app/desk/figures.ts';
import type { LedgerStreams } from '../../../src/app/ports/ledger.ts';
import type { ParticipantName, SubmissionId } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type { CompletionElement } from '../../../src/domain/ledger.ts';
import { Metrics } from '../../../src/ops/metrics.ts';
import { observeStreams } from '../../../src/ops/observed.ts';
import { createReadings } from '../../../src/ops/readings.ts';
import { samplesIn } from '../../kit/promql.ts';

const P = trusted<ParticipantName>('p');
const newMetrics = () => new Metrics({ version: '0', roles: [], participants: [P] });

async function shown(metrics: Metrics, pattern: RegExp): Promise<readonly string[]> {
  return samplesIn((await metrics.exposition()).text)
    .filter(({ name }) => pattern.test(name))
    .map(({ name, labels, value }) => [name, ...Object.values(labels), value].join(' '))
    .toSorted();
}

test('what moves the time costs what it costs, and that is of no operation', async () => {
  const metrics = newMetrics();
  const completion = (commandId: string, cost?: bigint): CompletionElement => ({
    kind: 'completion',
    participant: P,
    offset: 1n,
    commandId,
    submissionId: trusted<SubmissionId>('s'),
    ledgerUser: 'user',
    actAs: [],
    updateId: null,
    answer: null,
    times: new Map(),
    ...(cost === undefined ? {} : { cost }),
  });
  const told = [
    completion('mine', 7n),
    completion('tenure:tick:1', 5n),
    completion('tenure:tick:2'),
  ];
  const streams = {
    completions: async function* completions() {
      yield* told;
    },
  } as unknown as LedgerStreams;
  const signal = new AbortController().signal;
  expect(await shown(metrics, /^tenure_tick_traffic/u)).toEqual([
    'tenure_tick_traffic_bytes_total p 0',
  ]);
  const seen = [];
  for await (const element of observeStreams(streams, metrics).completions(P, 0n, signal)) {
    seen.push(element);
  }
  expect(seen).toEqual(told);
  expect(await shown(metrics, /^tenure_(?:tick_)?traffic/u)).toEqual([
    'tenure_tick_traffic_bytes_total p 5',
    'tenure_traffic_bytes_total p 12',
  ]);
});

test('a participant that tells nothing more is shown as what it is, and as nothing else', async () => {
  const metrics = newMetrics();
  const none = {
    enabled: 0,
    failing: 0,
    disabled: 0,
    disabledByParty: 0,
    failingLong: 0,
    waiting: 0,
  };
  const figures: Figures = {
    operations: [],
    effects: { open: 0, due: 0, held: 0, lateSeconds: 0 },
    timers: [],
    pauses: [],
    lostOperations: 0,
    asynchronousStandbys: 0,
    participantCauses: [{ participant: P, kind: 'gone', since: '', detail: '', stream: null }],
    alarms: [],
    streams: [],
    webhooks: { ...none, oldestSeconds: 0 },
    bulkActs: [],
    leases: [],
  };
  createReadings(metrics).database(() => Promise.resolve(figures));
  expect(await shown(metrics, /^tenure_standstill/u)).toEqual([
    'tenure_standstill p behind 0',
    'tenure_standstill p clock 0',
    'tenure_standstill p gone 1',
    'tenure_standstill p quiet 0',
    'tenure_standstill p replay 0',
  ]);
});

// Public report: https://github.com/siimon/prom-client/issues/283
test('no gauge has the name of a counter', async () => {
  const { text } = await newMetrics().exposition();
  const gauges = [...text.matchAll(/^# TYPE (\S+) gauge$/gmu)].map(([, name]) => name ?? '');
  expect(gauges).toContain('nodejs_active_handles');
  expect(gauges.filter((name) => name.endsWith('_total'))).toEqual([]);
});
