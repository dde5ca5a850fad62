import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../kit/chromium.ts';
import { forFile } from '../kit/for-file.ts';
import { FOR, addressOf } from '../web/kit/addresses.ts';
import { startWebWorld } from '../web/kit/people.ts';
import { fill } from '../web/kit/stock.ts';

/*
 * Every page at a width of 320 pixels, which is what a person sees of 1,280 pixels enlarged four times: WCAG 2.2,
 * 1.4.10.
 */

/**
 * Finds elements that are wider than the window. Drawings, code and tables that are not lists may be wider. A list must
 * show one card for each row instead.
 */
const TOO_WIDE = `(() => {
  const { documentElement: root } = document;
  const may = (one) => one.closest('table:not([data-cards]), pre, svg, [popover], dialog') !== null ||
    (() => {
      for (let at = one.parentElement; at !== null && at !== document.body; at = at.parentElement) {
        if (/auto|scroll/.test(getComputedStyle(at).overflowX)) return true;
      }
      return false;
    })();
  const over = [...document.querySelectorAll('#main *')]
    .filter((one) => {
      const { right, width } = one.getBoundingClientRect();
      return width > 1 && right > root.clientWidth + 1 && !may(one);
    })
    .map((one) => one.tagName.toLowerCase() + ' ' + (one.textContent ?? '').slice(0, 40));
  const past = root.scrollWidth - root.clientWidth;
  return [...(past > 0 ? ['the page by ' + past + ' px'] : []), ...over.slice(0, 3)];
})()`;

const tooWide = (page: Page): Promise<readonly string[]> => page.evaluate<string[]>(TOO_WIDE);

describe.skipIf(!hasChromium)('at 320 pixels', async () => {
  const web = hasChromium ? await forFile(startWebWorld()) : null;
  const stock = web === null ? null : await fill(web.world);

  test.each(['user', 'provider', 'operator'] as const)('every page of %s fits', async (who) => {
    await using person = await web!.person(who, { viewport: { width: 320, height: 640 } });
    const found: Record<string, readonly string[]> = {};
    for (const key of FOR[who]) {
      const over = await tooWide(await person.open(addressOf(key, stock!)));
      if (over.length > 0) found[key] = over;
    }
    expect(found).toEqual({});
  });

  test('all hours of the chosen range are in sight, and in the table', async () => {
    await using person = await web!.person('operator', { viewport: { width: 320, height: 640 } });
    const page = await person.open('/attention');
    await page.getByRole('button', { name: '7 days' }).click();
    await page.waitForURL(/range=P7D/u);
    const chart = page.getByRole('figure', { name: 'Operations by the hour of acceptance' });
    const hours = chart.locator('[title^="From "]');
    await expect.poll(() => hours.count()).toBeGreaterThanOrEqual(7 * 24);
    const newest = await hours.last().boundingBox();
    expect(newest!.x).toBeGreaterThanOrEqual(0);
    expect(newest!.x + newest!.width).toBeLessThanOrEqual(320);
    await chart.getByText('Table', { exact: true }).click();
    await chart.locator('tbody a').first().click();
    await page.waitForURL(/\/ui\/operations\?.*since=/u);
    expect(person.findings).toEqual([]);
  });
});
