import { describe, expect, test } from 'vitest';
import { hasChromium } from '../kit/chromium.ts';
import { forFile } from '../kit/for-file.ts';
import { settled, startWebWorld } from '../web/kit/people.ts';

/* The application in mode shared-secret, where people sign in by name alone. */

describe.skipIf(!hasChromium)('a person', async () => {
  const web = hasChromium ? await forFile(startWebWorld({ AUTH_MODE: 'shared-secret' })) : null;

  test('signs in by name, is told when the name is not known, and comes back to the page', async () => {
    await using person = await web!.person(null);
    const { page } = person;
    await page.goto(`${web!.origin}/ui/renewals`);
    await page.getByLabel('Name').fill('stranger');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(/\/ui\/login\?error/u);
    await page.getByRole('alert').waitFor();

    await page.getByLabel('Name').fill('app-user');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/ui\/renewals$/u);
    await settled(page);
    expect(await page.locator('h1').first().textContent()).toBe('To pay');

    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Name').waitFor();
    expect(person.findings).toEqual([]);
  });
});
