import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { addressPolicy } from '../../../src/auth/address-policy.ts';
import type { ResolveName } from '../../../src/auth/names.ts';
import { boundedNames } from '../../../src/auth/names.ts';
import { createWebhookTargets } from '../../../src/auth/webhook-targets.ts';
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

/** A target whose name means what the test says at each time it is looked up, on a server that counts what comes. */
async function namedTarget(resolve: ResolveName) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(204).end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const targets = createWebhookTargets({
    policy: addressPolicy('none'),
    allowsHttp: true,
    timeoutMs: 60_000,
    bodyBytesMax: 64,
    names: boundedNames(resolve, 20),
  });
  const url = new URL(`http://target.example:${port}/`);
  return {
    asked,
    defect: () => targets.defectOf(url),
    post: () => targets.post(url.href, {}, '{}', new AbortController().signal),
    async [Symbol.asyncDispose]() {
      await targets.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('a name that nobody answers for in time is refused, also where it is delivered to, and is asked for once', async () => {
  let questions = 0;
  await using target = await namedTarget(() => {
    questions += 1;
    return new Promise(() => undefined);
  });
  const late = 'target.example has no address within 20 ms';
  expect(await Promise.all([target.defect(), target.defect()])).toEqual([late, late]);
  await expect(target.post()).rejects.toThrow(late);
  expect(questions).toBe(1);
});

test('a name that stands for a private address when it is delivered to is refused as when it was registered', async () => {
  const meant = [{ address: '93.184.216.34', family: 4 }];
  await using target = await namedTarget(async () => meant);
  expect(await target.defect()).toBeNull();
  meant[0] = { address: '127.0.0.1', family: 4 };
  const refusal = 'target.example is at an address that is not allowed';
  expect(await target.defect()).toBe(refusal);
  await expect(target.post()).rejects.toThrow(refusal);
  // One of several: what is connected to is one that was looked at.
  meant.push({ address: '10.0.0.1', family: 4 });
  await expect(target.post()).rejects.toThrow(refusal);
  expect(target.asked).toEqual([]);
});
