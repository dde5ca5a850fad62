import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';

/** The first path is Chromium without its own user interface, which needs less than half of the processor time. */
const PATHS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const executablePath = process.env['CHROMIUM'] ?? PATHS.find((path) => existsSync(path));

/**
 * Whether a browser is installed. Without one, tests that need a browser are skipped with a message, and fail in CI.
 */
export const hasChromium = executablePath !== undefined;
if (!hasChromium) {
  const said =
    'no Chromium found at the usual places or in CHROMIUM: tests with a browser are skipped';
  if (process.env['CI'] === 'true') throw new Error(said);
  console.warn(said);
}

/** Starts a browser without a window. The caller must close it. */
export async function launchChromium(): Promise<Browser> {
  if (executablePath === undefined) throw new Error('no Chromium');
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
