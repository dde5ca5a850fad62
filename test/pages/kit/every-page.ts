import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { PATHS } from '../../../web/src/paths.ts';
import { hasChromium } from '../../kit/chromium.ts';
import { forFile } from '../../kit/for-file.ts';
import { PATIENCE_MS } from '../../kit/patience.ts';
import { FOR, addressOf } from '../../web/kit/addresses.ts';
import type { Key } from '../../web/kit/addresses.ts';
import { commandLinesOf, misread } from '../../web/kit/command-lines.ts';
import { settled, startWebWorld } from '../../web/kit/people.ts';
import type { Who } from '../../web/kit/people.ts';
import { fill } from '../../web/kit/stock.ts';

/** The sets of axe rules for WCAG 2.2 AA. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

// The test inserts axe in spite of the page's content security policy, because axe is the test's script and not the
// page's. In legacy mode, without frames, axe needs no separate page to combine its results.
async function found(axe: AxeBuilder): Promise<readonly string[]> {
  const { violations } = await axe.setLegacyMode().analyze();
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(' | ')}`,
  );
}

/**
 * An entry outside of the window keeps the colours with which it was last drawn until it becomes visible. So this
 * script draws all entries.
 */
const DRAW_ALL = `
  for (const one of document.querySelectorAll('#main *')) one.style.contentVisibility = 'visible'`;

/**
 * Describes a page without texts, addresses and numbers, which are different in each row. If two pages have the same
 * description, they have the same elements, classes and roles, so axe finds the same faults in both.
 */
const SHAPE = `(() => {
  const plain = /^(?:href|title|datetime|value|aria-label)$/;
  const shapeOf = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data.trim() === '' ? '' : 'text';
    if (node.nodeType !== Node.ELEMENT_NODE) return '';
    const attributes = [...node.attributes].map(({ name, value }) =>
      name + '=' + (plain.test(name) ? value !== '' : value.replaceAll(/[0-9a-f]*[0-9][0-9a-f]*/g, '0')));
    return '<' + [node.localName, ...attributes].join(' ') + '>' + [...node.childNodes].map(shapeOf).join('') + '</>';
  };
  return shapeOf(document.documentElement);
})()`;

/** Returns the findings of axe. A theme changes nothing but colours: see web/src/styles/tokens.css. */
async function accessibilityOf(page: Page, audited: Set<string>): Promise<readonly string[]> {
  const shape = await page.evaluate<string>(SHAPE);
  if (audited.has(shape)) return [];
  audited.add(shape);
  await page.evaluate<void>(DRAW_ALL);
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await found(new AxeBuilder({ page }).withTags(TAGS));
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await found(new AxeBuilder({ page }).withRules(['color-contrast']));
  return [...light, ...dark.map((one) => `dark: ${one}`)];
}

/** The pages for signing in, which other tests cover: `test/web/entry`, `test/pages/by-name`. */
const WAYS_IN: readonly Key[] = ['home', 'login'];
/** All other pages. */
export const ALL = (Object.keys(PATHS) as Key[]).filter((key) => !WAYS_IN.includes(key));

/** Returns the faults of a page. That the page refuses a role is not a fault. */
async function wrongOf(
  page: Page,
  isTheirs: boolean,
  audited: Set<string>,
): Promise<readonly string[]> {
  const alerts = await page.getByRole('alert').allTextContents();
  const title = (await page.locator('h1').first().textContent()) ?? '';
  return [
    ...(await accessibilityOf(page, audited)),
    ...(isTheirs ? alerts : []),
    ...(/failed|no such page/u.test(title) ? [title] : []),
  ];
}

/** @returns the faults, by page */
async function wrongPages(
  page: Page,
  theirs: readonly Key[],
  open: (key: Key) => Promise<unknown>,
  audited: Set<string>,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const wrong: Record<string, readonly string[]> = {};
  for (const key of ALL) {
    await open(key);
    const problems = [...(await wrongOf(page, theirs.includes(key), audited))];
    if (theirs.includes(key)) {
      const lines = await commandLinesOf(page);
      // The page with the list of errors is documentation, and sends no request to the API.
      if (lines.length === 0 && key !== 'errors') problems.push('no command line');
      problems.push(...lines.flatMap((line) => misread(line) ?? []));
    }
    if (problems.length > 0) wrong[key] = problems;
  }
  return wrong;
}

/**
 * Opens every address in each of these roles, with the light and the dark theme. There must be no finding of axe, no
 * error, and no report of the content security policy. If the page is for another role, it must say so, and pass the
 * same checks.
 */
export function describeEveryPage(mode: 'oauth2' | 'shared-secret', roles: readonly Who[]): void {
  describe.skipIf(!hasChromium)(`every page in mode ${mode}`, async () => {
    const web = hasChromium ? await forFile(startWebWorld({ AUTH_MODE: mode })) : null;
    const stock = web === null ? null : await fill(web.world);
    const audited = new Set<string>();

    // The test opens many pages, and each of them may take the usual time limit.
    test.each(roles)('for %s, light and dark', { timeout: 10 * PATIENCE_MS }, async (who) => {
      await using person = await web!.person(who, { reducedMotion: 'reduce' });
      const { page } = person;
      const open = (key: Key) => person.open(addressOf(key, stock!));
      expect(await wrongPages(page, FOR[who], open, audited)).toEqual({});
      expect(person.findings).toEqual([]);
    });

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
}
