import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Who } from '../web/kit/people.ts';
import { startWebWorld } from '../web/kit/people.ts';
import { fill } from '../web/kit/stock.ts';
import buildPages from '../web/kit/build.ts';

/*
 * Takes screenshots of the main pages, light and dark, in three widths, on a Tenure with LocalNet and one object of
 * each kind.
 *
 * Usage: node test/pages/screenshots.ts [folder]; `make screenshots` puts them into `screenshots/`.
 */

const WIDTHS = [1_440, 1_024, 390] as const;
const THEMES = ['light', 'dark'] as const;

const folder = process.argv[2] ?? 'screenshots';
buildPages();
await mkdir(folder, { recursive: true });
await using web = await startWebWorld();
const stock = await fill(web.world);

const PAGES: readonly (readonly [who: Who, name: string, address: string])[] = [
  ['user', 'licences', '/licenses'],
  ['user', 'licence', `/licenses/${stock.license}`],
  ['user', 'to-pay', '/renewals'],
  ['provider', 'requests', '/requests'],
  ['provider', 'licence-of-provider', `/licenses/${stock.license}`],
  ['provider', 'policies', '/policies'],
  ['provider', 'webhook', `/webhooks/${stock.webhook}`],
  ['operator', 'attention', '/attention'],
  ['operator', 'operations', '/operations'],
  ['operator', 'operation', `/operations/${stock.operation}`],
  ['operator', 'lifecycles', '/lifecycles'],
  ['operator', 'streams', '/streams'],
];

for (const who of new Set(PAGES.map(([whose]) => whose))) {
  await using person = await web.person(who);
  const { page } = person;
  for (const [whose, name, address] of PAGES) {
    if (whose !== who) continue;
    await person.open(address);
    for (const width of WIDTHS) {
      for (const colorScheme of THEMES) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        const path = join(folder, `${name}-${width}-${colorScheme}.png`);
        await page.screenshot({ path, fullPage: true, animations: 'disabled' });
        console.log(path);
      }
    }
  }
}
