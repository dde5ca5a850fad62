import { describe, expect, test } from 'vitest';
import { hasChromium } from '../kit/chromium.ts';
import { forFile } from '../kit/for-file.ts';
import type { Who } from '../web/kit/people.ts';
import { settled, startWebWorld } from '../web/kit/people.ts';
import { fill } from '../web/kit/stock.ts';

/* Ctrl-K finds a page by its name, and an object by its number, by words in it or by any of its identifiers. */

describe.skipIf(!hasChromium)('the palette', async () => {
  const web = hasChromium ? await forFile(startWebWorld()) : null;
  const stock = web === null ? null : await fill(web.world);
  const { request, install, license, renewal, command, operation } = stock ?? {};

  /** Returns the lifecycle that an identifier of its contract finds. */
  async function lifecycleOf(path: string): Promise<string> {
    const { body } = await web!.world.call('provider', 'GET', path);
    return body.lifecycleId as string;
  }
  const lifecycle = (path: string) => () => lifecycleOf(path);

  const FINDS: readonly (readonly [
    what: string,
    who: Who,
    typed: string | (() => Promise<string>) | undefined,
    found: string,
    leadsTo: RegExp,
  ])[] = [
    ['a page', 'provider', 'polic', 'Policies', /\/policies$/u],
    ['a licence by its number', 'user', 'license 1', 'Licence LIC-0001', /\/licenses\/00/u],
    ['a licence by its details', 'provider', 'seats', 'seats: 5', /\/licenses\/00/u],
    ['a renewal by its description', 'user', 'more month', 'Renewal of', /\/renewals\/00/u],
    ['a contract of a licence', 'user', license, 'Licence', /\/licenses\/00/u],
    ['a contract of a renewal', 'user', renewal, 'Renewal', /\/renewals\/00/u],
    ['a contract of an installation', 'user', install, 'Installation', /\/installs\/00/u],
    ['a contract of a request', 'provider', request, 'Install request', /\/requests\/00/u],
    ['a licence', 'user', lifecycle(`/licenses/${license}`), 'Licence', /\/licenses\/license-/u],
    [
      'a renewal',
      'provider',
      lifecycle(`/license-renewal-requests/${renewal}`),
      'Renewal',
      /\/renewals\/renewal-/u,
    ],
    [
      'an installation',
      'provider',
      lifecycle(`/app-installs/${install}`),
      'Installation',
      /\/installs\/install-/u,
    ],
    [
      'a request',
      'operator',
      lifecycle(`/app-install-requests/${request}`),
      'Install request',
      /\/requests\/install-request-/u,
    ],
    ['a command', 'user', command, 'Operation', /\/operation\/stock-/u],
    [
      'a command on the desk',
      'operator',
      command,
      'Operation on the desk',
      /\/operations\/[\w-]+$/u,
    ],
    ['an operation', 'operator', operation, 'Operation on the desk', /\/operations\/[\w-]+$/u],
  ];

  test.each(FINDS)('finds %s for %s', async (_what, who, typed, found, leadsTo) => {
    await using person = await web!.person(who);
    const { page } = person;
    await settled(page);
    await page.keyboard.press('Control+k');
    const text = typeof typed === 'function' ? await typed() : (typed ?? '');
    await page.keyboard.type(text);
    const option = page.getByRole('listbox').getByRole('option').filter({ hasText: found }).first();
    await option.waitFor();
    await option.click();
    await page.waitForURL(leadsTo);
    await settled(page);
    expect(await page.getByText('Not found.').count()).toBe(0);
    expect(person.findings).toEqual([]);
  });

  test('says when there is nothing, and opens what is chosen by the keyboard alone', async () => {
    await using person = await web!.person('provider');
    const { page } = person;
    await settled(page);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('license-00000000000000000000');
    await page.getByText('Nothing found that you have permission to see.').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('s');
    await page.keyboard.press('ArrowDown');
    const chosen = await page.locator('[role=option][aria-selected=true] span').textContent();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await settled(page);
    expect(await page.locator('h1').first().textContent()).toBe(chosen);
  });
});
