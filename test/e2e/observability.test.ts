import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fetchToken } from '../../cli/commands/token.ts';
import type { Embedded } from '../../embedded/embedded.ts';
import { localnetAddresses } from '../../embedded/localnet.ts';
import type { Collector } from './kit/collector.ts';
import { startCollector } from './kit/collector.ts';
import { startParts } from './kit/parts.ts';
import type { Sample } from '../kit/promql.ts';
import { missingFor, samplesIn } from '../kit/promql.ts';
import { alertRules, dashboards } from '../kit/watching.ts';
import { NODE_FLAGS } from '../../src/main/node-flags.ts';

/* Two processes that share the work, observed from outside: the traces, metrics and logs of one operation. */

interface RoleProcess {
  readonly child: ChildProcess;
  readonly url: string;
  /** The address at which the process serves its metrics. */
  readonly management: string;
}

const API_KEY = `key-${randomUUID()}`;
/** A text that requests contain in their bodies. */
const PAYLOAD = `payload-${randomUUID()}`;
/** Every line that the processes have written. */
const logged: string[] = [];
const started: ChildProcess[] = [];
let dataDir: string;
let embedded: Embedded;
let collector: Collector;
let api: RoleProcess;
let rest: RoleProcess;
let token: string;

async function startRole(roles: string): Promise<RoleProcess> {
  const child = spawn(process.execPath, [...NODE_FLAGS, 'src/main/role.ts'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      TENURE_DATA_DIR: dataDir,
      BACKEND_PORT: '0',
      TENURE_ROLES: roles,
      TENURE_LOG_LEVEL: 'debug',
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${API_KEY}`,
      ...embedded.environment,
    },
  });
  started.push(child);
  const { promise, resolve, reject } = Promise.withResolvers<[number, number]>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    logged.push(line);
    const told = JSON.parse(line) as { message: string; port?: number; managementPort?: number };
    const { message, port, managementPort } = told;
    if (message !== 'Tenure is ready') return;
    if (port !== undefined && managementPort !== undefined) resolve([port, managementPort]);
  });
  child.once('exit', (code) => reject(new Error(`${roles} ended with ${code}`)));
  const [url, management] = (await promise).map((port) => `http://127.0.0.1:${port}`);
  return { child, url: url ?? '', management: management ?? '' };
}

beforeAll(async () => {
  collector = await startCollector();
  dataDir = await mkdtemp(join(tmpdir(), 'tenure-observed-'));
  embedded = await startParts({ TENURE_DATA_DIR: dataDir });
  if (embedded.localnet === null) throw new Error('LocalNet is part of this world');
  token = await fetchToken(localnetAddresses(embedded.localnet.ready), 'user');
  [api, rest] = await Promise.all([startRole('api'), startRole('worker,projector,clock')]);
});

afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  await embedded[Symbol.asyncDispose]();
  await collector[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true, force: true });
});

const ask = (path: string, traceId: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${api.url}${path}`, {
    ...init,
    headers: {
      authorization: `Bearer ${token}`,
      traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
      ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    signal: AbortSignal.timeout(120_000),
  });

const newTraceId = (): string => randomBytes(16).toString('hex');

describe('one operation', () => {
  test('is one trace, from its request to the projection of its update, over both processes', async () => {
    const traceId = newTraceId();
    const commandId = randomUUID();
    const asked = await ask(`/app-install-requests?commandId=${commandId}`, traceId, {
      method: 'POST',
      body: JSON.stringify({ meta: { data: { note: PAYLOAD } } }),
    });
    expect(asked.status, await asked.clone().text()).toBe(201);
    expect(asked.headers.get('trace-id')).toBe(traceId);
    expect(await asked.json()).toMatchObject({ meta: { data: { note: PAYLOAD } } });

    const spans = await collector.spansOf(traceId, 5);
    const SUBMIT = 'com.daml.ledger.api.v2.CommandSubmissionService/Submit';
    const names = [
      ['POST /app-install-requests', 2],
      ['send submit-command', 4],
      ['process submit-command', 5],
      [SUBMIT, 3],
      ['project update', 1],
    ] as const;
    expect(spans.map(({ name, kind }) => [name, kind])).toHaveLength(names.length);
    const [request, sent, processed, submitted, projected] = names.map(([name, kind]) =>
      spans.find((span) => span.name === name && span.kind === kind),
    );
    expect(request?.parentSpanId).toBe('00f067aa0ba902b7');
    expect(sent?.parentSpanId).toBe(request?.spanId);
    expect(processed?.parentSpanId).toBe(sent?.spanId);
    expect(submitted?.parentSpanId).toBe(processed?.spanId);
    expect(projected?.parentSpanId).toBe(request?.spanId);
    // The caller gets its answer after the update has been projected.
    expect(projected?.endMs).toBeLessThanOrEqual((request?.endMs ?? 0) + 50);
    expect(request?.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/app-install-requests',
      'tenure.command_id': commandId,
    });
    expect(processed?.attributes).toMatchObject({
      'messaging.system.name': 'bullmq',
      'messaging.destination.name': 'submit-command',
      'messaging.operation.type': 'process',
    });
    expect(submitted?.attributes).toMatchObject({
      'rpc.system.name': 'grpc',
      'rpc.method': SUBMIT,
      'tenure.answer': 'taken',
    });
    expect(projected?.attributes).toMatchObject({
      'tenure.operation': 'request-install',
      'tenure.state': 'succeeded',
    });
    expect(spans.map(({ status }) => status)).toEqual([0, 0, 0, 0, 0]);
    expect(request?.resource).toMatchObject({ 'service.name': 'tenure', 'tenure.roles': 'api' });
    expect(new Set(spans.map(({ resource }) => resource['service.instance.id'])).size).toBe(2);
    expect(collector.headers[0]).toMatchObject({ 'x-api-key': API_KEY });
  });

  test('that is refused names the same trace in its problem, in its log line and in its span', async () => {
    const traceId = newTraceId();
    const refused = await ask('/licenses/00ab/history', traceId);
    expect(await refused.json()).toMatchObject({ status: 404, traceId });
    const [span] = await collector.spansOf(traceId, 1);
    expect(span).toMatchObject({ name: 'GET /licenses/{contractId}/history', status: 0 });
    const lines = logged.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.find((line) => line['trace-id'] === traceId)).toMatchObject({
      '@timestamp': expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u),
      status: 404,
    });
  });
});

async function samplesOf({ management }: RoleProcess): Promise<Sample[]> {
  const answer = await fetch(`${management}/metrics`);
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return samplesIn(await answer.text());
}

const samplesOfAll = async (): Promise<Sample[]> => [
  ...(await samplesOf(api)),
  ...(await samplesOf(rest)),
];

describe('what is measured', () => {
  test('tells of the operation, of the streams and of the leases, and names nobody', async () => {
    const samples = await samplesOfAll();
    const valueOf = (name: string, labels: Record<string, string> = {}): number | undefined =>
      samples.find(
        (sample) =>
          sample.name === name &&
          Object.entries(labels).every(([key, text]) => sample.labels[key] === text),
      )?.value;
    const route = { method: 'POST', route: '/app-install-requests', status: '2xx' };
    expect(valueOf('tenure_http_request_duration_seconds_count', route)).toBe(1);
    const ended = { operation: 'request-install', state: 'succeeded' };
    expect(
      samples
        .filter(({ name }) => name === 'tenure_operation_duration_seconds_count')
        .filter(
          ({ labels }) =>
            labels['operation'] === ended.operation && labels['state'] === ended.state,
        )
        .reduce((sum, { value }) => sum + value, 0),
    ).toBe(1);
    expect(
      samples
        .filter(
          ({ name, labels }) => name === 'tenure_submissions_total' && labels['answer'] === 'taken',
        )
        .reduce((sum, { value }) => sum + value, 0),
    ).toBe(1);
    expect(valueOf('tenure_operations_open', { state: 'in-doubt' })).toBe(0);
    expect(valueOf('tenure_operation_oldest_seconds', { state: 'queued' })).toBe(0);
    const noneYet = { code: 'LEDGER_REFUSED', class: 'refused' };
    expect(valueOf('tenure_operations_refused_total', noneYet)).toBe(0);
    expect(valueOf('tenure_effects', { state: 'due' })).toBe(0);
    expect(valueOf('tenure_queue_jobs', { state: 'waiting' })).toBe(0);
    expect(valueOf('tenure_lease_held', { lease: 'projector' })).toBe(1);
    expect(valueOf('tenure_lease_expires_seconds', { lease: 'clock' })).toBeGreaterThan(0);
    expect(valueOf('tenure_stream_offset', { stream: 'updates' })).toBeGreaterThan(0);
    expect(valueOf('tenure_projection_lag_offsets', { stream: 'updates' })).toBe(0);
    for (const source of ['database', 'queue', 'ledger']) {
      expect(valueOf('tenure_source_up', { source }), source).toBe(1);
    }
    expect(valueOf('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
    const texts = samples.flatMap(({ labels }) => Object.values(labels));
    expect(texts.filter((text) => /::|[0-9a-f]{16}|eyJ/u.test(text))).toEqual([]);
  });
});

describe('what comes with it for those who watch', () => {
  test('dashboards ask for metrics, labels and values that there are', async () => {
    const samples = await samplesOfAll();
    const panels = dashboards().flatMap(({ panels }) => panels);
    expect(panels.length).toBeGreaterThan(20);
    const missing = panels.flatMap(({ title, targets }) =>
      targets.flatMap(({ expr }) => missingFor(expr, samples).map((what) => `${title}: ${what}`)),
    );
    expect(missing).toEqual([]);
  });

  test('so do alert rules, and each says where to read what to do', async () => {
    const samples = await samplesOfAll();
    const rules = alertRules();
    expect(rules.length).toBeGreaterThan(10);
    const missing = rules.flatMap(({ alert, expr }) =>
      missingFor(expr, samples).map((what) => `${alert}: ${what}`),
    );
    expect(missing).toEqual([]);
    const operations = await readFile('docs/OPERATIONS.md', 'utf8');
    const headings = operations.matchAll(/^##+ (.+)$/gmu);
    const anchors = [...headings].map(
      ([, text = '']) =>
        `docs/OPERATIONS.md#${text
          .toLowerCase()
          .replaceAll(/[^\w ]/gu, '')
          .replaceAll(' ', '-')}`,
    );
    for (const { alert, labels, annotations } of rules) {
      expect(anchors, alert).toContain(annotations['runbook']);
      expect(operations).toContain(`| \`${alert}\` |`);
      expect(['critical', 'warning'], alert).toContain(labels['severity']);
      expect(annotations['summary'], alert).toBeTypeOf('string');
    }
  });
});

describe('what is logged', () => {
  test('is one JSON object a line, with its time, and no token, key or payload in any of them', async () => {
    // A token in a wrong place, where people sometimes paste it.
    await ask(`/licenses/${token}?q=${token}`, newTraceId());
    // A payload that is refused, once as JSON and once as text that is not JSON.
    for (const body of [JSON.stringify({ meta: { data: PAYLOAD } }), `{"meta":"${PAYLOAD}"`]) {
      const path = `/app-install-requests?commandId=${randomUUID()}`;
      const refused = await ask(path, newTraceId(), { method: 'POST', body });
      expect(refused.status).toBe(400);
    }
    await Promise.all(
      started.map(async (child) => {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }),
    );
    expect(logged.length).toBeGreaterThan(5);
    for (const line of logged) {
      expect(JSON.parse(line)).toMatchObject({
        '@timestamp': expect.any(String),
        level: expect.any(String),
        message: expect.any(String),
      });
    }
    const all = logged.join('\n');
    expect(all).toContain('/app-install-requests');
    const secrets = Object.entries(embedded.environment).filter(([name]) =>
      /SECRET|TOKEN/u.test(name),
    );
    for (const secret of [
      token,
      token.split('.')[2] ?? token,
      API_KEY,
      PAYLOAD,
      ...secrets.map(([, value]) => value),
    ]) {
      expect(all.includes(secret), secret.slice(0, 12)).toBe(false);
    }
    expect(all).not.toMatch(/eyJ[\w-]{8,}\.[\w-]+\./u);
  });
});
