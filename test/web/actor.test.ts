import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { describe, expect, test } from 'vitest';
import { hasChromium, launchChromium } from '../kit/chromium.ts';

/** Runs a licence's machine as an actor whose effects are provided by the page. */
const PAGE = `
  import { createActor } from ${JSON.stringify(resolve('node_modules/xstate'))};
  import { licenseMachine } from ${JSON.stringify(resolve('machines/license.machine.ts'))};
  const effects = [];
  const actions = { 'expire-license': ({ event }) => effects.push(event.changeId) };
  const input = { expiresAt: '2026-01-01T00:00:00.000000Z' };
  const actor = createActor(licenseMachine.provide({ actions }), { input }).start();
  const states = [];
  actor.subscribe(({ value }) => states.push(value));
  const expire = (changeId, day) =>
    actor.send({ type: 'license.expire', changeId, nowMs: Date.parse(day) });
  expire('too early', '2025-12-31');
  expire('in time', '2026-01-02');
  actor.send({ type: 'ledger.licenseExpired' });
  globalThis.seen = { effects, states, status: actor.getSnapshot().status };
`;

describe.skipIf(!hasChromium)('a machine', () => {
  test('runs as an actor in a browser, with effects of the page', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tenure-actor-'));
    try {
      const entry = join(folder, 'page.js');
      await writeFile(entry, PAGE);
      await build({
        configFile: false,
        logLevel: 'warn',
        build: {
          outDir: join(folder, 'out'),
          emptyOutDir: true,
          minify: false,
          lib: { entry, formats: ['es'], fileName: 'page' },
        },
      });
      await using browser = await launchChromium();
      const page = await browser.newPage();
      const content = await readFile(join(folder, 'out', 'page.js'), 'utf8');
      await page.addScriptTag({ type: 'module', content });
      expect(await page.evaluate('seen')).toEqual({
        effects: ['in time'],
        states: ['active', 'expiring', 'expired'],
        status: 'done',
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
