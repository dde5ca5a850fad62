import { randomUUID } from 'node:crypto';
import { table } from '../cli/table.ts';
import buildPages from '../test/web/kit/build.ts';
import { startWebWorld } from '../test/web/kit/people.ts';
import { fill } from '../test/web/kit/stock.ts';
import type { Scrolled } from './web-many.ts';
import { fillOperations, paintOperations, scrollHistory, scrollRows } from './web-many.ts';

/*
 * Measures how long a person waits for a page: from a navigation until the first row of a list that was not loaded
 * before is shown, and from the answer to a call until an open page shows the row that the call has created. For
 * comparison, a blank page of the same server shows how long browser and machine take. Then measures the same with a
 * store of very many operations, and how smoothly long pages scroll.
 *
 *   node bench/web.bench.ts [runs=20] [operations=1000000]
 */

const RUNS = Number(process.argv[2] ?? 20);
const OPERATIONS = Number(process.argv[3] ?? 1_000_000);
const AIMS_MS = { list: 1_000, event: 300, many: 150 };

const quantile = (some: readonly number[], share: number): number =>
  some.toSorted((a, b) => a - b)[Math.min(some.length - 1, Math.floor(some.length * share))] ?? 0;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/**
 * Code that runs in the page, because queries from outside the page are slow. It resolves with the time at which the
 * page's list gets another row.
 */
const nextRow = `new Promise((resolve) => {
  const rows = () => document.querySelectorAll('main tbody tr').length;
  const before = rows();
  new MutationObserver((_changes, observer) => {
    if (rows() === before) return;
    observer.disconnect();
    resolve(Date.now());
  }).observe(document.querySelector('main'), { childList: true, subtree: true });
})`;

buildPages();
await using web = await startWebWorld();
const ask = () =>
  web.world.call('user', 'POST', `/app-install-requests?commandId=${randomUUID()}`, { body: {} });
await ask();

await using person = await web.person('user');
const { context } = person;
const cookies = await context.cookies();
const [blank, list, event]: number[][] = [[], [], []];
for (let run = 0; run < RUNS; run += 1) {
  // A browser that has not loaded any part of the web application yet.
  await using fresh = await web.person(null);
  await fresh.context.addCookies(cookies);
  const { page } = fresh;
  blank?.push(await timed(() => page.goto(`${web.origin}/ui/icon.svg`)));
  list?.push(
    await timed(async () => {
      await page.goto(`${web.origin}/ui/requests`);
      await page.getByRole('main').getByRole('row').nth(1).waitFor();
    }),
  );
  await page.getByText('Live', { exact: true }).waitFor();
  const shownAtMs = page.evaluate<number>(nextRow);
  await ask();
  const answeredAtMs = Date.now();
  event?.push((await shownAtMs) - answeredAtMs);
}

const row = (what: string, ms: readonly number[], aim: number | null) => [
  what,
  aim === null ? '' : `${aim} ms`,
  `${Math.round(quantile(ms, 0.5))} ms`,
  `${Math.round(quantile(ms, 0.9))} ms`,
  `${Math.round(quantile(ms, 0.95))} ms`,
];
const HEAD = ['what', 'aim', 'p50', 'p90', 'p95'];
console.log(
  table(HEAD, [
    row('a file of the same server', blank ?? [], null),
    row('first list, nothing cached', list ?? [], AIMS_MS.list),
    row('an event, after the answer to its call', event ?? [], AIMS_MS.event),
  ]),
);

const { license } = await fill(web.world);
const filledAtMs = performance.now();
await fillOperations(web, OPERATIONS);
console.log(
  `\n${OPERATIONS} operations made in ${((performance.now() - filledAtMs) / 1_000).toFixed(0)} s`,
);
await using operator = await web.person('operator');
const times = await paintOperations(operator, RUNS);
console.log(
  table(HEAD, [
    row('operations, from another page', times.arrived, AIMS_MS.many),
    row('the same, with its counts', times.counted, AIMS_MS.many),
    row('another filter', times.filtered, AIMS_MS.many),
    row('the next page', times.turned, AIMS_MS.many),
  ]),
);

await using provider = await web.person('provider');
const longest = (ms: readonly number[]): string => `${Math.round(Math.max(0, ...ms))} ms`;
const scrolledRow = (what: string, { shown, frames, tasks }: Scrolled) => [
  what,
  `${Math.round(shown)} ms`,
  `${frames.length}`,
  `${Math.round(quantile(frames, 0.95))} ms`,
  longest(frames),
  longest(tasks),
];
console.log(
  `\n${table(
    ['while it is scrolled', 'shown after', 'frames', 'p95', 'longest', 'longest task'],
    [
      scrolledRow('a page of 1,000 rows', await scrollRows(operator)),
      scrolledRow('a history of 10,000 entries', await scrollHistory(web, provider, license)),
    ],
  )}`,
);
