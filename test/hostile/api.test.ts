import { expect, test } from 'vitest';
import { drawsOf } from '../../chaos/draws.ts';
import type { Finding } from '../../src/main/doctor.ts';
import { examine } from '../../src/main/doctor.ts';
import type { World } from '../e2e/kit/world.ts';
import { startWorld } from '../e2e/kit/world.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { fill } from '../web/kit/stock.ts';
import type { ApiDocument, HostileCall, Route } from './kit/api-calls.ts';
import { ApiCalls, routesOf } from './kit/api-calls.ts';

/*
 * `make hostile`: every caller calls every route of the API of a whole Tenure. Afterwards, the doctor must find
 * nothing.
 */

const CALLS = Number(process.env['HOSTILE_CALLS'] ?? 5_000);
const SEED = process.env['HOSTILE_SEED'] ?? '20';
const AT_A_TIME = 8;
const CALLERS = ['nobody', 'forged', 'user', 'user-operator', 'provider', 'operator'] as const;

/** These settings disable limits by tenant and by address, which would refuse most calls before they reach a route. */
const UNLIMITED = {
  TENURE_LOG_LEVEL: 'silent',
  TENURE_TENANT_RATE_LIMIT: '0',
  TENURE_RATE_LIMIT_ANONYMOUS: '0',
  TENURE_FAILED_AUTHENTICATIONS: '0',
};

async function authorizationOf(world: World, who: (typeof CALLERS)[number]): Promise<object> {
  if (who === 'nobody') return {};
  const token = await world.tokenOf(who === 'forged' ? 'user' : who);
  const [head, claims, signature] = token.split('.');
  return { authorization: `Bearer ${head}.${claims}.${who === 'forged' ? 'AAAA' : signature}` };
}

/**
 * Makes a call. @returns the status, and what is wrong with the answer. An event stream is closed as soon as it has
 * begun
 */
async function answerOf(world: World, call: HostileCall, headers: object) {
  const { method, path, type, body } = call;
  const answer = await fetch(`${world.tenure.state.apiUrl}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      prefer: 'respond-async',
      ...(type === null ? {} : { 'content-type': type }),
      ...headers,
    },
    ...(body === null ? {} : { body }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const kind = answer.headers.get('content-type') ?? '';
  if (kind.startsWith('text/event-stream')) await answer.body?.cancel();
  else await answer.arrayBuffer();
  const isProblem = answer.status < 400 || kind.startsWith('application/problem+json');
  const isWrong = answer.status >= 500 || !isProblem;
  return { status: answer.status, wrong: isWrong ? [`${answer.status} ${method} ${path}`] : [] };
}

/** Makes the calls. Each caller calls each route the same number of times. */
async function besiegeApi(world: World, routes: readonly Route[], calls: ApiCalls) {
  const rounds = Math.ceil(CALLS / (routes.length * CALLERS.length));
  const each = CALLERS.flatMap((who) => routes.map((route) => ({ who, route })));
  const waiting = Array.from({ length: rounds }, () => each).flat();
  const headers = new Map(
    await Promise.all(
      CALLERS.map(async (who) => [who, await authorizationOf(world, who)] as const),
    ),
  );
  const wrong: string[] = [];
  const statuses = new Set<number>();
  const made = waiting.length;
  const work = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { who, route } = next;
      const answer = await answerOf(world, calls.call(route), headers.get(who) ?? {});
      statuses.add(answer.status);
      wrong.push(...answer.wrong.map((line) => `${who}: ${line}`));
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return { made, wrong, statuses };
}

/** Waits until nothing is paused, and every accepted operation has ended or waits for a person. */
async function settle(world: World): Promise<void> {
  const pauses = await world.call('operator', 'GET', '/ops/pauses');
  for (const { id } of pauses.body as readonly { readonly id?: string }[]) {
    const body = { reason: 'the calls are over' };
    if (id !== undefined)
      await world.call('operator', 'POST', `/ops/pauses/${id}:resume`, { body });
  }
  const url = '/ops/operations?state=queued,submitting,retrying&limit=1';
  await expect
    .poll(async () => (await world.call('operator', 'GET', url)).body, { timeout: PATIENCE_MS })
    .toEqual([]);
}

/** Returns the findings of `tenure doctor --deep`. */
async function diagnose({ dataDir, environment }: World): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  await examine({
    environment: { ...environment, TENURE_DATA_DIR: dataDir },
    replay: true,
    deep: true,
    onFinding: (finding) => findings.push(finding),
    onProgress: () => undefined,
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  return findings;
}

test(
  `${CALLS} calls of the API are refused in words, or do what they say, and the doctor is content`,
  { timeout: 900_000 },
  async () => {
    await using world = await startWorld(UNLIMITED);
    const stock = await fill(world);
    const document = (await world.call('user', 'GET', '/openapi.json')).body as ApiDocument;
    // An object can be deleted with 204 only once, and most of the random callers may not delete it. There are many
    // objects, so that a success is likely.
    const webhooks = [stock.webhook];
    for (const who of Array.from({ length: 8 }, () => ['user', 'provider'] as const).flat()) {
      const body = { url: 'https://127.0.0.1:9/hook' };
      webhooks.push((await world.call(who, 'POST', '/webhooks', { body })).body.id);
    }
    const known = {
      contractId: [stock.request, stock.install, stock.license, stock.renewal],
      // This ID belongs to a renewal and not to an allocation, so the completion is refused with 422.
      'licenses/contractId': [stock.license],
      renewalRequestContractId: [stock.renewal],
      allocationContractId: [stock.renewal],
      commandId: [stock.command],
      id: [stock.operation, ...webhooks],
      // The callers' own tenants are never among these names.
      tenantId: ['nobody', 'x'.repeat(300)],
      kind: ['license', 'renewal'],
      reason: ['hostile'],
    };
    const calls = new ApiCalls(document, known, drawsOf(SEED));
    const { made, wrong, statuses } = await besiegeApi(world, routesOf(document), calls);
    expect(made).toBeGreaterThanOrEqual(CALLS);
    expect(wrong).toEqual([]);
    // Every kind of status occurred, so calls have passed the first checks.
    const each = [200, 202, 204, 400, 401, 403, 404, 422];
    expect([...statuses]).toEqual(expect.arrayContaining(each));
    await settle(world);
    const findings = await diagnose(world);
    expect(findings.filter(({ level }) => level === 'well').length).toBeGreaterThan(10);
    expect(findings.filter(({ level }) => level === 'wrong')).toEqual([]);
  },
);
