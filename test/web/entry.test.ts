import { describe, expect, test } from 'vitest';
import { PATHS } from '../../web/src/paths.ts';
import { hasChromium } from '../kit/chromium.ts';
import { forFile } from '../kit/for-file.ts';
import { settled, startWebWorld } from './kit/people.ts';

/* Sign-in and sign-out in the web application, with a real browser. */

describe.skipIf(!hasChromium)('a person', async () => {
  const web = hasChromium ? await forFile(startWebWorld()) : null;
  const started = () => web!;

  test('comes by the address without a page, signs in, and is where the work begins', async () => {
    await using person = await started().person(null);
    const { page } = person;
    await page.goto(started().origin);
    expect(new URL(page.url()).pathname).toBe('/ui/');
    await page.getByRole('link', { name: 'AppProvider' }).click();
    await page.getByLabel('Username').fill('app-provider');
    await page.getByLabel('Password').fill('abc123');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(/\/ui\/overview$/u);
    await settled(page);
    // The router in the page has exactly the addresses in the list.
    const routes = await page.evaluate<string[]>('Object.keys(self.__TSR_ROUTER__.routesByPath)');
    expect(routes.toSorted()).toEqual(Object.values(PATHS).toSorted());
    expect(person.findings).toEqual([]);
  });

  test('who asked for a page before signing in comes back to it', async () => {
    await using person = await started().person(null);
    const { page } = person;
    await page.goto(`${started().origin}/ui/licenses?lapsesWithin=P7D`);
    await page.getByRole('link', { name: 'AppProvider' }).click();
    await page.getByLabel('Username').fill('app-provider');
    await page.getByLabel('Password').fill('abc123');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(/\/ui\/licenses\?lapsesWithin=P7D$/u);
    await settled(page);
    expect(await page.getByLabel('Expires').inputValue()).toBe('P7D');
  });

  test('a failed login is told on the page of the application', async () => {
    await using person = await started().person(null);
    await person.page.goto(`${started().origin}/login?error`);
    expect(new URL(person.page.url()).pathname).toBe('/ui/login');
    await person.page.getByRole('alert').waitFor();
    expect(await person.page.getByRole('alert').textContent()).toContain('failed');
  });

  test('signs out: commands that have ended leave the browser, and the way back does not lead in', async () => {
    await using person = await started().person('provider');
    const { page } = person;
    const kept = (commandId: string, state: string) => ({
      commandId,
      party: 'another',
      label: 'Renew',
      method: 'POST',
      url: '/licenses/x:renew',
      body: { description: 'confidential' },
      madeAtMs: Date.now(),
      state,
      endedAtMs: state === 'succeeded' ? Date.now() : null,
    });
    const commands = [kept('ended', 'succeeded'), kept('open', 'accepted')];
    await page.evaluate<void>(`
      localStorage.setItem('tenure.commands', ${JSON.stringify(JSON.stringify(commands))});
      for (const { commandId } of ${JSON.stringify(commands)})
        sessionStorage.setItem('tenure.draft.' + commandId, commandId);
    `);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(/\/ui\/login$/u);
    const left = await page.evaluate<string[][]>(`[
      JSON.parse(localStorage.getItem('tenure.commands')).map(({ commandId }) => commandId),
      Object.keys(sessionStorage).filter((key) => key.startsWith('tenure.draft.')),
    ]`);
    expect(left).toEqual([['open'], ['tenure.draft.open']]);
    await page.goto(`${started().origin}/ui/licenses`);
    await page.getByRole('link', { name: 'AppProvider' }).waitFor();
    expect(person.findings).toEqual([]);
  });
});
