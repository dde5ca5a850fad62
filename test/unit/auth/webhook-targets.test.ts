import { createSocket } from 'node:dgram';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addressPolicy } from '../../../src/auth/address-policy.ts';
import type { ResolveName } from '../../../src/auth/names.ts';
import { NamesBusyError, boundedNames, dnsNames } from '../../../src/auth/names.ts';
import { createWebhookTargets } from '../../../src/auth/webhook-targets.ts';
import { STORE_LIMITS } from '../../../src/store/limits.ts';
import { AUTH_LIMITS } from '../../../src/auth/limits.ts';
import { LIMITS } from '../../../src/domain/limits.ts';

test('as many tries as there may be at a host that hangs leave a place for one more there', async () => {
  const hanging: ServerResponse[] = [];
  const server = createServer((request, response) => {
    if (request.url === '/hang') hanging.push(response);
    else response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const targets = createWebhookTargets({
    policy: addressPolicy('loopback'),
    allowsHttp: true,
    timeoutMs: 60_000,
    bodyBytesMax: 64,
  });
  const over = new AbortController();
  const post = (path: string) => targets.post(base + path, {}, '{}', over.signal);
  const slow = Array.from({ length: LIMITS.webhookTriesOfAllMax - 1 }, () => post('/hang'));
  const ended = Promise.allSettled(slow);
  try {
    await expect
      .poll(() => hanging.length, { interval: 10, timeout: 60_000 })
      .toBe(LIMITS.webhookTriesOfAllMax - 1);
    expect(await post('/well')).toMatchObject({ status: 204 });
  } finally {
    over.abort();
    await ended;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await targets.close();
  }
}, 90_000);

/**
 * Returns a target on a server that counts requests. Its name resolves to the addresses that the test sets before each
 * look-up.
 */
async function namedTarget(resolve: ResolveName, allowed = 'none') {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(204).end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const targets = createWebhookTargets({
    policy: addressPolicy(allowed),
    allowsHttp: true,
    timeoutMs: 60_000,
    bodyBytesMax: 64,
    names: resolve,
  });
  const urlOf = (name: string) => new URL(`http://${name}:${port}/`);
  return {
    asked,
    defect: (name = 'target.example', party = 'A') => targets.defectOf(urlOf(name), party),
    post: (name = 'target.example') =>
      targets.post(urlOf(name).href, {}, '{}', new AbortController().signal),
    async [Symbol.asyncDispose]() {
      await targets.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('a name that nobody answers for in time is refused, also where it is delivered to, and is asked for once', async () => {
  let questions = 0;
  const silent: ResolveName = () => {
    questions += 1;
    return new Promise(() => undefined);
  };
  await using target = await namedTarget(boundedNames(silent, 20));
  const late = 'target.example has no address within 20 ms';
  expect(await Promise.all([target.defect(), target.defect()])).toEqual([late, late]);
  await expect(target.post()).rejects.toThrow(late);
  expect(questions).toBe(1);
});

test('a name that stands for a private address when it is delivered to is refused as when it was registered', async () => {
  const meant = [{ address: '93.184.216.34', family: 4 }];
  await using target = await namedTarget(async () => meant);
  const refusal = 'target.example is at an address that is not allowed';
  // A name without an address gets the same message. Otherwise, the messages would reveal which private names exist.
  expect(await target.defect()).toBeNull();
  meant.length = 0;
  expect(await target.defect()).toBe(refusal);
  meant[0] = { address: '127.0.0.1', family: 4 };
  expect(await target.defect()).toBe(refusal);
  await expect(target.post()).rejects.toThrow(refusal);
  // If a name has several addresses, the connection may only use one that was checked.
  meant.push({ address: '10.0.0.1', family: 4 });
  await expect(target.post()).rejects.toThrow(refusal);
  expect(target.asked).toEqual([]);
});

test('what is not tried because too many names are looked up says nothing of its target', async () => {
  await using target = await namedTarget(async () => {
    throw new NamesBusyError(1, 'too many');
  });
  expect(await target.post()).toBeNull();
  await expect(target.defect()).rejects.toMatchObject({ details: { code: 'RATE_LIMITED' } });
});

/**
 * Starts a name server that resolves names below `well` in `*.example` to 127.0.0.1, and does not answer for other
 * names.
 */
async function nameServer() {
  const heard = new Set<string>();
  const socket = createSocket('udp4');
  socket.on('message', (question, { port, address }) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
      labels.push(question.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    heard.add(labels.join('.'));
    if (!labels.includes('well')) return;
    const isV4 = question.readUInt16BE(at + 1) === 1;
    const asked = Buffer.from(question.subarray(12, at + 5));
    const header = Buffer.from([0, 0, 0x81, 0x80, 0, 1, 0, isV4 ? 1 : 0, 0, 0, 0, 0]);
    question.copy(header, 0, 0, 2);
    const record = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1];
    socket.send(Buffer.concat([header, asked, Buffer.from(isV4 ? record : [])]), port, address);
  });
  await new Promise<void>((listening) => socket.bind(0, '127.0.0.1', listening));
  return {
    heard,
    servers: [`127.0.0.1:${socket.address().port}`],
    [Symbol.dispose]: () => void socket.close(),
  };
}

test('names that no server answers for keep nobody else from its own, and end', async () => {
  using server = await nameServer();
  const { servers } = server;
  await using target = await namedTarget(dnsNames({ servers }), 'loopback');
  const hung = Array.from(
    { length: STORE_LIMITS.webhookTriesPerPartyMax },
    (_, n) => `n${n}.hung.example`,
  );
  const posted = Promise.allSettled(hung.map((name) => target.post(name)));
  const asked = Promise.all(
    hung.slice(0, AUTH_LIMITS.nameLookupsPerAskerMax).map((name) => target.defect(name)),
  );
  // Another target of the same party exceeds the party's limit. Targets of other parties are not affected.
  await expect(target.defect('one.more.example')).rejects.toMatchObject({
    details: { code: 'RATE_LIMITED' },
  });
  await expect.poll(() => server.heard.size, { interval: 10, timeout: 60_000 }).toBe(hung.length);
  expect(await target.defect('a.well.example', 'B')).toBeNull();
  expect(await target.post('b.well.example')).toMatchObject({ status: 204 });
  for (const end of await posted) {
    expect(end).toMatchObject({ status: 'rejected', reason: { message: /in time|within/u } });
  }
  for (const defect of await asked) expect(defect).toMatch(/in time|within/u);
}, 90_000);

test('a name of the hosts file is what it says, and no server is asked', async () => {
  using server = await nameServer();
  const folder = await mkdtemp(join(tmpdir(), 'tenure-hosts-'));
  try {
    const hostsFile = join(folder, 'hosts');
    await writeFile(
      hostsFile,
      '# none\n192.0.2.7\tother.example Known.Example # ours\n::1 known.example\n',
    );
    const names = dnsNames({ servers: server.servers, hostsFile });
    expect(await names('known.example.')).toEqual([
      { address: '192.0.2.7', family: 4 },
      { address: '::1', family: 6 },
    ]);
    expect(await names('x.localhost')).toContainEqual({ address: '127.0.0.1', family: 4 });
    expect(server.heard.size).toBe(0);
    expect(await names('a.well.example')).toEqual([{ address: '127.0.0.1', family: 4 }]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
