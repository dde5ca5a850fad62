import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { addressPolicy } from '../../../src/auth/address-policy.ts';
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
