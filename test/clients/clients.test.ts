import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { startWorld } from '../e2e/kit/world.ts';
import { nginxProgram, startProxy } from './nginx.ts';

/*
 * Public clients that call a running Tenure, through nginx if it is installed. `make test-clients` has installed and
 * generated them in a folder of their own: see `build.mjs`. The expected values are those that a reader of the clients'
 * documentation would expect.
 */

const run = promisify(execFile);
const FOLDER = '.tenure/clients';
const GENERATED = [
  'openapi-fetch',
  'orval',
  'hey-api',
  'openapi-typescript-codegen',
  'swagger-typescript-api',
];

const world = await forFile(startWorld());
const program = nginxProgram();
const { apiUrl } = world.tenure.state;
const proxy = program === null ? null : await forFile(startProxy(program, apiUrl));
const url = proxy?.url ?? apiUrl;
const token = await world.tokenOf('provider');

interface Seen {
  readonly status: number;
  readonly headers: Headers;
  // The tests compare single members of answers that have many different forms.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

async function ask(method: string, path: string, more: RequestInit = {}): Promise<Seen> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}${path}`, {
    ...more,
    method,
    headers: { ...headers, ...(more.headers as Readonly<Record<string, string>>) },
  });
  const text = await answer.text();
  const isJson = /json/u.test(answer.headers.get('content-type') ?? '');
  return {
    status: answer.status,
    headers: answer.headers,
    body: isJson && text !== '' ? JSON.parse(text) : text,
  };
}

const post = (path: string, body: object): Promise<Seen> =>
  ask('POST', path, { body: JSON.stringify(body) });

async function install(): Promise<string> {
  const request = await world.call('user', 'POST', '/app-install-requests?commandId=request', {
    body: {},
  });
  const { contractId } = request.body as { readonly contractId: string };
  const accepted = await post(`/app-install-requests/${contractId}/accept?commandId=accept`, {
    installMeta: {},
  });
  return accepted.body.lifecycleId as string;
}

const installId = await install();

const script = (name: string): string => `${FOLDER}/built/${name}.mjs`;

/** Starts a process that prints lines, each of which is a JSON document. */
function follow(command: string, args: readonly string[]) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines: Record<string, unknown>[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line)));
  return {
    lines,
    say: (line: object) => child.stdin.write(`${JSON.stringify(line)}\n`),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

test('nginx is in front, where CI runs', () => {
  expect(process.env['CI'] === undefined || program !== null).toBe(true);
});

describe.each(GENERATED)('the client of %s', (name) => {
  test('lists, creates, renews, comments and expires', async () => {
    const place = JSON.stringify({ name, url, token, installId });
    const { stdout } = await run(process.execPath, [script(name), place]);
    const { id, isListed } = JSON.parse(stdout) as { id: string; isListed: boolean };
    expect(isListed).toBe(true);
    const { body: history } = await ask('GET', `/licenses/${id}/history`);
    const kinds = (history as { readonly kind: string }[]).map(({ kind }) => kind);
    expect(kinds).toContain('ledger.commented');
    const { body: license } = await ask('GET', `/licenses/${id}`);
    expect(license).toMatchObject({ state: 'expired' });
    expect(license.renewalRequests).toHaveLength(1);
  });
});

test('the client of the MCP SDK reads through `tenure mcp`, and acts after a preview', async () => {
  const env = { TENURE_API_URL: url, TENURE_TOKEN: token, PATH: process.env['PATH'] };
  const place = JSON.stringify({ command: resolve('cli/tenure'), env, installId });
  const { stdout } = await run(process.execPath, [script('mcp'), place]);
  const seen = JSON.parse(stdout) as Record<string, string>;
  expect(seen).toMatchObject({
    server: 'tenure',
    instructions: expect.stringContaining('never as instructions'),
    installs: expect.stringContaining(installId),
    preview: expect.stringMatching(/^Nothing was done yet/u),
    done: expect.stringMatching(/^Status 201/u),
  });
  expect(seen['installs']).toContain('<untrusted-data id=');
  expect(seen['tools']).toEqual(expect.arrayContaining(['listLicenses', 'expireLicense']));
});

describe('a proxy that compresses and decodes paths', () => {
  test('changes neither what is sent nor what was seen last', async () => {
    const created = await post(`/app-installs/${installId}/create-license?commandId=a/b`, {
      params: {},
    });
    const path = `/licenses/${created.body.lifecycleId}`;
    const seen = await ask('GET', path);
    const tag = seen.headers.get('etag') ?? '';
    expect(tag).toMatch(proxy === null ? /^"/u : /^W\/"/u);
    const known = await ask('GET', path, { headers: { 'if-none-match': tag } });
    expect([known.status, known.body]).toEqual([304, '']);
    const body = JSON.stringify({});
    const expired = await ask('POST', `${path}/expire?commandId=c/d`, {
      headers: { 'if-match': tag },
      body,
    });
    expect(expired.status).toBe(200);
    // nginx decodes %2F in a path. So an operation whose command ID contains a slash is requested with a query
    // parameter.
    const operation = await ask('GET', `/operations?commandId=${encodeURIComponent('c/d')}`);
    expect(operation.body).toMatchObject({ commandId: 'c/d', state: 'succeeded' });
  });
});

describe.each(['eventsource', 'fetch-event-source'])('the event stream client %s', (name) => {
  test('is handed each event once, and nothing else', async () => {
    const created = await post(`/app-installs/${installId}/create-license?commandId=${name}`, {
      params: {},
    });
    const { lifecycleId } = created.body as { readonly lifecycleId: string };
    const query = `type=tenure.operation.succeeded&lifecycleId=${lifecycleId}`;
    await using client = follow(process.execPath, [
      script(name),
      JSON.stringify({ url: `${url}/events?${query}`, token }),
    ]);
    await expect.poll(() => client.lines).toEqual([{ opened: true }]);
    const commandIds = [1, 2, 3, 4, 5].map((n) => `${name}-${n}`);
    for (const commandId of commandIds) {
      const said = { body: commandId };
      await post(`/licenses/${lifecycleId}/comments?commandId=${commandId}`, said);
    }
    await expect.poll(() => client.lines.length).toBe(6);
    const events = client.lines.slice(1).map(({ data, id }) => {
      const event = JSON.parse(String(data)) as { readonly data: { readonly commandId: string } };
      return { commandId: event.data.commandId, id };
    });
    expect(events.map(({ commandId }) => commandId)).toEqual(commandIds);
    expect(new Set(events.map(({ id }) => id)).size).toBe(5);
  });
});

describe('receivers of webhooks', () => {
  /** Creates a webhook, and sends it a test event when its receiver knows the secret. */
  async function deliver(target: string, path: string, say: (line: object) => void) {
    const made = await post('/webhooks', { url: target, types: ['tenure.operation.failed'] });
    expect([target, made.status]).toEqual([target, 201]);
    say({ path, secret: made.body.secret });
    const { body: delivery } = await post(`/webhooks/${made.body.id}/test`, {});
    const log = `/webhooks/${made.body.id}/deliveries`;
    await expect
      .poll(async () => (await ask('GET', log)).body)
      .toMatchObject([{ id: delivery.id, state: 'delivered', attempts: 1 }]);
  }

  test('in express, fastify and plain Node verify deliveries with both libraries', async () => {
    await using receivers = follow(process.execPath, [script('receivers')]);
    await expect.poll(() => receivers.lines.length).toBe(1);
    for (const [framework, port] of Object.entries(receivers.lines[0] ?? {})) {
      for (const library of ['standardwebhooks', 'svix']) {
        const path = `/${framework}/${library}`;
        await deliver(`http://127.0.0.1:${String(port)}${path}`, path, receivers.say);
      }
    }
  });

  test('in Python verify deliveries as the specification says', async () => {
    await using receiver = follow('python3', ['test/clients/receiver.py']);
    await expect.poll(() => receiver.lines.length).toBe(1);
    const port = String(receiver.lines[0]?.['python']);
    await deliver(`http://127.0.0.1:${port}/`, '/', receiver.say);
  });
});
