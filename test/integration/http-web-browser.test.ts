import { createServer } from 'node:http';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildServer } from '../../src/http/server.ts';
import { hasChromium, launchChromium } from '../kit/chromium.ts';
import { forFile } from '../kit/for-file.ts';
import { startApi } from '../kit/http-api.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { openWebFolder } from '../kit/web-build.ts';

/* Behaviour that only a browser shows: what the content security policy of the web application's pages permits. */

const INDEX = `<!doctype html>
<link rel="stylesheet" href="/ui/assets/style.css">
<link rel="icon" href="data:,">
<script src="/ui/theme.js"></script>
<script type="module" src="/ui/assets/main.js"></script>
<script>document.documentElement.dataset.inline = 'ran';</script>
<form method="get" action="/away"><button>away</button></form>`;

/** A bundled application: a module that calls the API, and loads another module on demand. */
const MAIN = `
const { answer } = await import('./lazy.js');
const { authMode } = await (await fetch('/feature-flags')).json();
try { document.body.innerHTML = '<b>text</b>'; } catch (error) { document.body.dataset.markup = error.name; }
document.body.dataset.answer = answer + ' ' + authMode;
`;

test.skipIf(!hasChromium)('a page runs its own files, and nothing else', async () => {
  const api = await forFile(startApi());
  await using folder = await openWebFolder();
  await mkdir(join(folder.root, 'assets'), { recursive: true });
  const files = {
    'index.html': INDEX,
    'theme.js': `document.documentElement.dataset.theme = 'dark';`,
    'assets/main.js': MAIN,
    'assets/lazy.js': 'export const answer = 42;',
    'assets/style.css': 'form { color: rgb(1, 2, 3) }',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder.root, name), text);

  const elsewhere = createServer((_request, answer) => answer.end('elsewhere')).listen(0);
  await once(elsewhere, 'listening');
  const away = `http://localhost:${(elsewhere.address() as AddressInfo).port}/`;
  await using app = await buildServer({ ...api.deps, webRoot: folder.root });
  const base = await app.listen({ host: '127.0.0.1', port: 0 });
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const told: string[] = [];
    page.on('console', (message) => told.push(message.text()));
    await page.goto(`${base}/ui/some/page`);
    const body = page.locator('body[data-answer="42 oauth2"]');
    await body.waitFor();
    expect(await body.getAttribute('data-markup')).toBe('TypeError');
    const root = page.locator('html');
    expect(await root.getAttribute('data-theme')).toBe('dark');
    expect(await root.getAttribute('data-inline')).toBeNull();
    expect(await page.evaluate("getComputedStyle(document.querySelector('form')).color")).toBe(
      'rgb(1, 2, 3)',
    );
    // The browser also blocks the redirect of a form to another origin, so a page must send a logout with a script.
    await page.route('**/away*', (route) =>
      route.fulfill({ status: 302, headers: { location: away } }),
    );
    const blocked = page.waitForEvent('console', (message) => /form-action/u.test(message.text()));
    await page.getByRole('button', { name: 'away' }).click();
    await blocked;
    expect(page.url()).toBe(`${base}/ui/some/page`);
    expect(told.filter((text) => /script-src/u.test(text))).toHaveLength(1);
  } finally {
    await browser.close();
    elsewhere.close();
  }
});
