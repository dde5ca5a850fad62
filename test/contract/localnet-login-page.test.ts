import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt } from 'jose';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium, launchChromium } from '../kit/chromium.ts';
import { openAuthorizationServer } from './kit/authorization-server.ts';
import type { LoneAuthorizationServer } from './kit/authorization-server.ts';
import { authorizationUrl, connectUrl, redeemForm } from './kit/login.ts';
import { PATIENCE_MS } from '../kit/patience.ts';

interface PageElement {
  readonly parentElement: PageElement;
}
declare const getComputedStyle: (element: PageElement) => {
  readonly color: string;
  readonly backgroundColor: string;
};

/**
 * Computes the contrast of text with its background, as WCAG defines it. Runs in the page, so it uses no names from
 * outside.
 */
function contrast(element: PageElement): number {
  const luminance = (color: string) => {
    const [r = 0, g = 0, b = 0] = (color.match(/[\d.]+/g) ?? []).map((part) => {
      const share = Number(part) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const groundOf = (at: PageElement) => getComputedStyle(at).backgroundColor;
  let ground = element;
  while (groundOf(ground) === 'rgba(0, 0, 0, 0)') ground = ground.parentElement;
  const [low = 0, high = 0] = [getComputedStyle(element).color, groundOf(ground)]
    .map(luminance)
    .sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

/** The login as a person performs it, in a real browser without JavaScript. */

describe.skipIf(!hasChromium)('the login page in a browser', () => {
  let server: LoneAuthorizationServer;
  let browser: Browser;
  let callback = '';
  const application = createServer((request, response) => {
    // After the redirect URI, an application redirects people further, possibly to another origin.
    const isCallback = request.url?.startsWith('/callback') === true;
    const { port } = application.address() as AddressInfo;
    if (isCallback) {
      const location = `http://localhost:${port}/done${request.url?.slice('/callback'.length)}`;
      response.writeHead(302, { location }).end();
    } else response.end('signed in');
  });

  beforeAll(async () => {
    application.listen(0, '127.0.0.1');
    [server, browser] = await Promise.all([
      openAuthorizationServer(),
      launchChromium(),
      once(application, 'listening'),
    ]);
    callback = `http://127.0.0.1:${(application.address() as AddressInfo).port}/callback`;
  });
  afterAll(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
    application.closeAllConnections();
    application.close();
  });

  const request = () => ({
    realm: 'AppUser',
    client: 'app-provider-backend-oidc',
    redirectUri: callback,
  });

  /** Opens the page in a new browser profile. Fails the test if the page violates its own content security policy. */
  async function opened(
    run: (page: Page) => Promise<void>,
    options: { colorScheme: 'light' | 'dark' },
  ): Promise<void> {
    const context = await browser.newContext({
      javaScriptEnabled: false,
      viewport: { width: 900, height: 640 },
      ...options,
    });
    const complaints: string[] = [];
    try {
      const page = await context.newPage();
      page.on('console', (message) => complaints.push(message.text()));
      page.setDefaultTimeout(PATIENCE_MS);
      await page.goto(authorizationUrl(server.base, request()));
      await run(page);
      // The browser reports a form that was refused as a failed request. This is not an error of the page.
      expect(complaints.filter((text) => !text.includes('status of 400'))).toEqual([]);
    } finally {
      await context.close();
    }
  }

  test('is filled in by keyboard, says what is wrong, and leads back', () =>
    opened(
      async (page) => {
        const username = page.getByLabel('Username');
        const password = page.getByLabel('Password');
        await page.locator('[name=username]:focus').waitFor();
        await page.keyboard.type('app-user');
        await page.keyboard.press('Tab');
        await page.keyboard.type('wrong');
        await page.keyboard.press('Enter');
        await page.getByRole('alert').waitFor();
        expect(await page.getByRole('alert').textContent()).toBe('Invalid username or password.');
        expect(await username.inputValue()).toBe('app-user');
        expect(await password.inputValue()).toBe('');
        await page.locator('[name=password]:focus').waitFor();
        await page.keyboard.type('abc123');
        await page.keyboard.press('Enter');
        await page.waitForURL('**/done?**');
        const code = new URL(page.url()).searchParams.get('code');
        const reply = await server.ask('AppUser', redeemForm(request(), code));
        expect(reply.status).toBe(200);
        // The browser has a session now, so it is not asked to log in a second time.
        await page.goto(authorizationUrl(server.base, request()));
        expect(page.url()).toContain('/done?');
        await page.goto(connectUrl(server.base, 'AppUser', 'logout'));
        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.getByText('You are signed out').waitFor();
        await page.goto(authorizationUrl(server.base, request()));
        await username.waitFor();
      },
      { colorScheme: 'light' },
    ));

  test('asks who is signed in for the password alone, where the client wants it, and lets another in', () =>
    opened(
      async (page) => {
        await page.getByRole('textbox', { name: 'Username or email' }).fill('app-user');
        await page.getByRole('textbox', { name: 'Password' }).fill('abc123');
        await page.getByRole('button', { name: 'Sign In' }).click();
        await page.waitForURL('**/done?**');
        const again = { ...request(), parameters: { prompt: 'login' } };
        await page.goto(authorizationUrl(server.base, again));
        await page.getByText('Please re-authenticate to continue').waitFor();
        expect(await page.getByRole('textbox').count()).toBe(1);
        await page.getByRole('textbox', { name: 'Password' }).fill('wrong');
        await page.getByRole('button', { name: 'Sign In' }).click();
        await page.getByRole('alert').waitFor();
        await page.getByText('Please re-authenticate to continue').waitFor();
        await page.getByRole('textbox', { name: 'Password' }).fill('abc123');
        await page.getByRole('button', { name: 'Sign In' }).click();
        await page.waitForURL('**/done?**');

        await page.goto(authorizationUrl(server.base, again));
        await page.getByRole('button', { name: 'Use another account' }).click();
        await page.getByRole('textbox', { name: 'Username or email' }).fill('adrian');
        await page.getByRole('textbox', { name: 'Password' }).fill('abc123');
        await page.getByRole('button', { name: 'Sign In' }).click();
        await page.waitForURL('**/done?**');
        const code = new URL(page.url()).searchParams.get('code');
        const reply = await server.ask('AppUser', redeemForm(request(), code));
        expect(decodeJwt(String(reply.body['id_token']))['preferred_username']).toBe('adrian');
      },
      { colorScheme: 'light' },
    ));

  test.each(['light', 'dark'] as const)('can be read in a %s scheme', (colorScheme) =>
    opened(
      async (page) => {
        const folder = process.env['SCREENSHOTS'];
        if (folder !== undefined) {
          await page.screenshot({ path: `${folder}/login-${colorScheme}.png` });
        }
        // WCAG 2.2, level AA, requires these contrasts.
        for (const selector of ['h1', '.quiet', 'label', 'input', 'button']) {
          expect([selector, await page.locator(selector).first().evaluate(contrast)]).toEqual([
            selector,
            expect.toSatisfy((ratio: number) => ratio >= 4.5),
          ]);
        }
      },
      { colorScheme },
    ),
  );
});
