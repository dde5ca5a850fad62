import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { addressPolicy } from '../../../src/auth/address-policy.ts';
import {
  AddressNotAllowedError,
  BodyTooLongError,
  createOutgoingHttp,
} from '../../../src/auth/outgoing-fetch.ts';
import type { OutgoingHttp, OutgoingHttpOptions } from '../../../src/auth/outgoing-fetch.ts';

/* Which requests are sent and which are refused, for addresses of all forms and for redirects. */

let open = new AsyncDisposableStack();
afterEach(async () => {
  await open.disposeAsync();
  open = new AsyncDisposableStack();
});

async function serve(host: string, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  open.defer(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://${host}:${(server.address() as AddressInfo).port}`;
}

const http = (options: OutgoingHttpOptions): OutgoingHttp =>
  open.adopt(createOutgoingHttp(options), (made) => made.close());

const causes = async (done: Promise<unknown>): Promise<unknown[]> => {
  const found: unknown[] = [];
  let at: unknown = await done.then(
    () => null,
    (error: unknown) => error,
  );
  for (; at instanceof Error; at = at.cause) found.push(at.constructor);
  return found;
};

test('an answer cannot lead to an address that is not allowed', async () => {
  const asked: string[] = [];
  const secret = await serve('127.0.0.2', (request, response) => {
    asked.push(request.url ?? '');
    response.end('secret');
  });
  const { port } = new URL(secret);
  const base = await serve('127.0.0.1', ({ url = '' }, response) => {
    const location = url === '/name' ? `http://localhost.:${port}/` : `${secret}${url}`;
    response.writeHead(302, { location }).end();
  });
  const one = http({ policy: addressPolicy('127.0.0.1') });
  expect(await causes(one.fetch(`${base}/away`))).toContain(AddressNotAllowedError);
  expect(await causes(one.fetch(secret))).toContain(AddressNotAllowedError);
  expect(asked).toEqual([]);
  const both = http({ policy: addressPolicy('127.0.0.1,127.0.0.2') });
  expect(await (await both.fetch(`${base}/there`)).text()).toBe('secret');
});

test('a name is judged by the address that is connected to', async () => {
  const base = await serve('127.0.0.1', (_request, response) => void response.end('yes'));
  const named = base.replace('127.0.0.1', 'issuer.localhost');
  const ask = (list: string) => http({ policy: addressPolicy(list) }).fetch(named);
  expect(await causes(ask('none'))).toContain(AddressNotAllowedError);
  expect(await causes(ask('other.localhost'))).toContain(AddressNotAllowedError);
  for (const list of ['loopback', 'issuer.localhost', '*.localhost']) {
    expect(await (await ask(list)).text()).toBe('yes');
  }
});

test('a body is as long as it may be, packed and unpacked', async () => {
  const base = await serve('127.0.0.1', ({ url }, response) => {
    if (url === '/packed') {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(100_000)));
    } else response.end('x'.repeat(Number(url?.slice(1))));
  });
  const { fetch } = http({ bodyBytesMax: 1_000 });
  expect(await (await fetch(`${base}/1000`)).text()).toHaveLength(1_000);
  expect(await causes((await fetch(`${base}/1001`)).text())).not.toEqual([]);
  expect(await causes((await fetch(`${base}/packed`)).text())).toContain(BodyTooLongError);
});
