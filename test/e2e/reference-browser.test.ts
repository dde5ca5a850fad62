import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { hasChromium, launchChromium } from '../kit/chromium.ts';
import type { World } from './kit/world.ts';
import { startWorld } from './kit/world.ts';

/*
 * Behaviour that only a browser shows: whether the browser sends the cookies again after a login at another site, which
 * cookies a script of a page can read, and which page a logout leads to.
 */

let world: World;
let browser: Browser;
beforeAll(async () => {
  if (hasChromium) [world, browser] = await Promise.all([startWorld(), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await world?.[Symbol.asyncDispose]();
});

/** Signs in, and opens an empty page on the origin of the frontend's pages. */
async function signedIn(origin: string): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(`${origin}/oauth2/authorization/AppUser-app-provider-backend-oidc`);
  expect(new URL(page.url()).hostname).toBe('keycloak.localhost');
  await page.getByLabel('Username').fill('app-user');
  await page.getByLabel('Password').fill('abc123');
  await page.getByRole('button', { name: 'Sign in' }).click();
  // A browser that opens `/` is redirected, whether or not the web application has been built.
  await page.waitForURL(`${origin}/ui/**`);
  await page.route(`${origin}/`, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>frontend</title>' }),
  );
  await page.goto(`${origin}/`);
  return page;
}

/** Returns the cookies that a script of the page can read. */
const cookiesIn = (page: Page): Promise<string> => page.evaluate<string>('document.cookie');

/** Calls the API as the frontend does, with the value of the CSRF cookie in the header. */
async function ask(page: Page, method: string, path: string, body?: string) {
  const token = /XSRF-TOKEN=([^;]*)/u.exec(await cookiesIn(page))?.[1] ?? '';
  return page.evaluate(
    async (asked) => {
      const answer = await fetch(asked.path, {
        method: asked.method,
        headers: { 'content-type': 'application/json', 'x-xsrf-token': asked.token },
        ...(asked.body === undefined ? {} : { body: asked.body }),
      });
      const { status, ok, redirected } = answer;
      return { status, ok, redirected, text: await answer.text() };
    },
    { method, path, body, token },
  );
}

test.skipIf(!hasChromium)('a login, a change, a logout', async () => {
  const { port } = new URL(world.tenure.state.apiUrl);
  const page = await signedIn(`http://app-provider.localhost:${port}`);
  const user = await ask(page, 'GET', '/api/user');
  expect([user.status, JSON.parse(user.text)]).toMatchObject([200, { name: 'app user' }]);
  // Scripts cannot read the session cookie.
  expect(await cookiesIn(page)).toMatch(/^XSRF-TOKEN=[\w-]+$/u);

  const made = await ask(page, 'POST', '/api/app-install-requests?commandId=by-browser', '{}');
  expect(made.status).toBe(201);

  const left = await ask(page, 'POST', '/api/logout');
  expect(left).toMatchObject({ status: 204, ok: true, redirected: false });
  expect(await cookiesIn(page)).toBe('');
  expect((await ask(page, 'GET', '/api/user')).status).toBe(401);
  // The session at the authorization server has ended too, so the next login asks for the password again.
  await page.goto(
    `http://app-provider.localhost:${port}/oauth2/authorization/AppUser-app-provider-backend-oidc`,
  );
  expect(new URL(page.url()).hostname).toBe('keycloak.localhost');
});
