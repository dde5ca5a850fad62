import { randomUUID } from 'node:crypto';
import { table } from '../cli/table.ts';
import buildPages from '../test/web/kit/build.ts';
import { startWebWorld } from '../test/web/kit/people.ts';

/*
 * How long a person waits for a page: from a navigation to the first row of a list that was never loaded before, and
 * from the answer to a call to the row that it makes on an open page. A blank page of the same server stands
 * beside it: what the browser and the machine take.
 *
 *   node bench/web.bench.ts [runs=15]
 */

const RUNS = Number(process.argv[2] ?? 15);
const AIMS_MS = { list: 1_000, event: 300 };

const quantile = (some: readonly number[], share: number): number =>
  some.toSorted((a, b) => a - b)[Math.min(some.length - 1, Math.floor(some.length * share))] ?? 0;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Resolves when the list of the page has another row, with the time then. The page itself looks: asking it is slow. */
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
  // A browser that has nothing of the application yet.
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
];
console.log(
  table(
    ['what', 'aim', 'p50', 'p90'],
    [
      row('a file of the same server', blank ?? [], null),
      row('first list, nothing cached', list ?? [], AIMS_MS.list),
      row('an event, after the answer to its call', event ?? [], AIMS_MS.event),
    ],
  ),
);
