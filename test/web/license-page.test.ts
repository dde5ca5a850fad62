import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { build } from 'vite';
import { afterAll, describe, expect, test } from 'vitest';
import { createClient } from '../../client/index.ts';
import { hasChromium, launchChromium } from '../kit/chromium.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import type { World } from '../e2e/kit/world.ts';
import { startWorld } from '../e2e/kit/world.ts';

/* The example of a page on another origin, in a browser, with a whole Tenure whose configuration names this origin. */

const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript' };

describe.skipIf(!hasChromium)('a page of another origin', async () => {
  if (!hasChromium) return;
  const stack = new AsyncDisposableStack();
  afterAll(() => stack.disposeAsync());

  const folder = await mkdtemp(join(tmpdir(), 'tenure-page-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));

  async function serve(): Promise<string> {
    const files = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://page');
      const file = join(folder, pathname === '/' ? 'index.html' : pathname);
      readFile(file).then(
        (content) =>
          response
            .writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/plain' })
            .end(content),
        () => response.writeHead(404).end(),
      );
    });
    files.listen(0, '127.0.0.1');
    await once(files, 'listening');
    stack.defer(() => {
      files.closeAllConnections();
      files.close();
    });
    return `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
  }

  async function buildPage(): Promise<void> {
    await build({
      configFile: 'examples/license-page/vite.config.js',
      logLevel: 'warn',
      resolve: { alias: { 'tenure-client': join(process.cwd(), 'client/index.ts') } },
      build: { outDir: folder, emptyOutDir: true, minify: false, reportCompressedSize: false },
    });
  }

  async function sellApp(world: World): Promise<void> {
    const clientOf = (who: 'provider' | 'user') =>
      createClient({ url: world.tenure.state.apiUrl, token: () => world.tokenOf(who) });
    const asked = await clientOf('user').command('/app-install-requests', { body: {} });
    await clientOf('provider').command('/app-install-requests/{contractId}/accept', {
      path: { contractId: asked.data.contractId },
      body: { installMeta: {} },
    });
  }

  const origin = await serve();
  const [world, browser] = await Promise.all([
    startWorld({ CORS_ORIGINS: origin }),
    launchChromium(),
    buildPage(),
  ]);
  stack.use(world);
  stack.defer(() => browser.close());
  await sellApp(world);

  test('lists licences and creates one, once, over a reload before the answer', async () => {
    const { apiUrl } = world.tenure.state;
    const [context, token] = await Promise.all([browser.newContext(), world.tokenOf('provider')]);
    context.setDefaultTimeout(PATIENCE_MS);
    const given = JSON.stringify({ api: apiUrl, token, caller: 'app-provider' });
    await context.addInitScript(`sessionStorage.setItem('tenure', ${JSON.stringify(given)})`);
    const page = await context.newPage();
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.url());
    });
    // The server has sent the first answer, but it gets lost.
    await page.route(
      /create-license/u,
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await page.goto(origin);
    const lost = page.waitForEvent('requestfailed', (request) =>
      request.url().includes('create-license'),
    );
    await page.getByRole('button', { name: 'Create a licence' }).click();
    await lost;
    await page.reload();
    await page.getByText('The licence is there.').waitFor();
    await page.getByText(/^Licence 1 of /u).waitFor();
    expect(await page.getByRole('listitem').count()).toBe(1);
    const ids = sent.map((url) => new URL(url).searchParams.get('commandId'));
    expect([ids.length >= 2, new Set(ids).size]).toEqual([true, 1]);
    await context.close();
  });
});
