import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { setPolicy } from '../../../cli/commands/policy-set.ts';

/* The output of `tenure policy set` in a terminal, for a policy that can end licences. */

const ENDS = { atOnce: 1, within24Hours: 1, within30Days: 1, ever: 1, neverRenewed: 0 };
const PREVIEW = {
  version: 1,
  of: 'licenses',
  count: 1,
  ends: { ...ENDS, afterChange: 0 },
  first: [{ endsAt: '2026-01-01T00:00:00Z' }],
  isConfirmationNeeded: true,
  token: 't',
};

/** Starts an API whose policy acts two seconds after it is set. */
async function policyApi() {
  const answers: Readonly<Record<string, object>> = {
    'GET /policies/expiry': { version: 1, mode: 'off' },
    'POST /policies/expiry/preview': PREVIEW,
    'PUT /policies/expiry': { version: 2, mode: 'on' },
    'GET /policies/expiry/pending': { isPending: true, version: 2, startsInSeconds: 2 },
  };
  const server = createServer((request, response) => {
    const answer = answers[`${request.method} ${request.url}`];
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? {}));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** Sets the policy and returns what the command wrote to standard error. */
async function shownBy(isTerminal: boolean): Promise<{ text: string; tookMs: number }> {
  await using api = await policyApi();
  vi.stubEnv('TENURE_API_URL', api.url);
  vi.stubEnv('TENURE_TOKEN', 'a');
  const before = [process.stdin.isTTY, process.stderr.isTTY];
  const written: string[] = [];
  const keep = (text: unknown): true => {
    written.push(String(text));
    return true;
  };
  vi.spyOn(process.stderr, 'write').mockImplementation(keep);
  vi.spyOn(console, 'error').mockImplementation(keep);
  vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  [process.stdin.isTTY, process.stderr.isTTY] = [isTerminal, isTerminal];
  const fromMs = performance.now();
  try {
    await setPolicy('expiry', { mode: 'on', confirm: 1, reason: 'they are over' });
  } finally {
    [process.stdin.isTTY, process.stderr.isTTY] = before as [boolean, boolean];
  }
  return { text: written.join('\n'), tookMs: performance.now() - fromMs };
}

const UNDO =
  'The policy starts in 2 s. To undo it before: tenure policy undo expiry --reason <text>';

test('a terminal counts down to the time at which the policy acts, and names the command that undoes it', async () => {
  const { text, tookMs } = await shownBy(true);
  expect(text).toContain(UNDO);
  expect(text).toContain('2 s until the policy starts');
  expect(tookMs).toBeGreaterThan(1_900);
});

test('a script gets one line and does not wait', async () => {
  const { text } = await shownBy(false);
  expect(text).toContain(UNDO);
  expect(text).not.toContain('until the policy starts');
});
