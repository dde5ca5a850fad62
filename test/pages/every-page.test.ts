import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { PATHS } from '../../web/src/paths.ts';
import { hasChromium } from '../kit/chromium.ts';
import { forFile } from '../kit/for-file.ts';
import { FOR, addressOf } from '../web/kit/addresses.ts';
import type { Who } from '../web/kit/people.ts';
import { settled, startWebWorld } from '../web/kit/people.ts';
import { fill } from '../web/kit/stock.ts';

/* Every address for every role, light and dark: no finding of axe, no error, no report of the policy. */

/** What axe finds against WCAG 2.2 AA. */
async function accessibilityOf(page: Page): Promise<readonly string[]> {
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  // A script of the test is no script of the page: axe is put in past the page's policy.
  const { violations } = await new AxeBuilder({ page }).withTags(tags).analyze();
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(' | ')}`,
  );
}

test('every address has a page for some role, or is a way in', () => {
  const seen = new Set<string>(Object.values(FOR).flat());
  expect(Object.keys(PATHS).filter((key) => !seen.has(key))).toEqual(['home', 'login', 'act']);
});

describe.skipIf(!hasChromium)('every page', async () => {
  const web = hasChromium ? await forFile(startWebWorld()) : null;
  const stock = web === null ? null : await fill(web.world);

  for (const who of Object.keys(FOR) as Who[]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      test(`of ${who}, ${colorScheme}`, async () => {
        await using person = await web!.person(who, { colorScheme });
        const found: Record<string, readonly string[]> = {};
        for (const key of FOR[who]) {
          const page = await person.open(addressOf(key, stock!));
          const problems = [
            ...(await accessibilityOf(page)),
            ...(await page.getByRole('alert').allTextContents()),
          ];
          if (problems.length > 0) found[key] = problems;
        }
        expect(found).toEqual({});
        expect(person.findings).toEqual([]);
      });
    }
  }

  test('is that page after a reload', async () => {
    await using person = await web!.person('provider');
    for (const key of FOR.provider) {
      const page = await person.open(addressOf(key, stock!));
      const title = await page.locator('h1').first().textContent();
      await page.reload();
      await settled(page);
      expect(await page.locator('h1').first().textContent()).toBe(title);
    }
  });
});
