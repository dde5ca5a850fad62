import type { Page } from 'playwright-core';
import { Client } from 'pg';
import { queryOnce } from '../test/kit/postgres-query.ts';
import type { Person, WebWorld } from '../test/web/kit/people.ts';
import { settled } from '../test/web/kit/people.ts';
import { fillChanges } from './search-fill.ts';

/*
 * Measures pages with very much data: a list of a million operations with its counts, a history of ten thousand
 * entries, and a page of a thousand rows. Code in the page itself measures the times, because queries from outside the
 * page are slow.
 */

const HISTORY = 10_000;
const ROWS = 1_000;
/** How far one turn of a mouse wheel scrolls. */
const TURN_PX = 120;
const TURNS = 120;

/** The milliseconds from each navigation until its result is painted. */
interface Painted {
  readonly arrived: number[];
  readonly counted: number[];
  readonly filtered: number[];
  readonly turned: number[];
}

/** Fills the database of a running Tenure with finished operations of its provider. */
export async function fillOperations({ world }: WebWorld, operations: number): Promise<void> {
  const client = new Client({ connectionString: world.tenure.state.databaseUrl });
  await client.connect();
  try {
    await fillChanges(client, operations, world.tenure.state.providerParty);
  } finally {
    await client.end();
  }
}

/**
 * Returns code that runs in the page: it clicks something, and resolves with the milliseconds until the first frame
 * that shows the expected result.
 */
const painted = (press: string, isThere: string): string => `new Promise((resolve) => {
  const rows = () => [...document.querySelectorAll('main tbody tr')];
  const linkOf = (row) => row?.querySelector('a')?.href;
  const states = () => [...document.querySelectorAll('[aria-label="Operations by state"] button')];
  const button = (words) => [...document.querySelectorAll('main button')].find((one) => one.textContent.trim() === words);
  const first = linkOf(rows()[0]);
  const isNew = () => rows().length >= 20 && linkOf(rows()[0]) !== first;
  const began = performance.now();
  const look = () => {
    if (!(${isThere})) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)));
  };
  const observer = new MutationObserver(look);
  observer.observe(document.body, { childList: true, subtree: true, characterData: true });
  ${press};
})`;

const GO = `document.querySelector('nav a[href="/ui/operations"]').click()`;
const ARRIVED = painted(GO, 'rows().length >= 20');
const COUNTED = painted(
  GO,
  `rows().length >= 20 && states().length > 0 && states().every((one) => !one.textContent.includes('–'))`,
);
const filtered = (state: string): string =>
  painted(
    `states().find((one) => one.dataset.state === '${state}').click()`,
    `isNew() && rows().every((row) => row.textContent.startsWith(states().find((one) => one.dataset.state === '${state}').querySelector('span:last-child').textContent))`,
  );
const TURNED = painted(`button('Next page').click()`, 'isNew()');

/** Measures the list of operations. Before each measurement, the page has loaded nothing of the list. */
export async function paintOperations(person: Person, runs: number): Promise<Painted> {
  const times: Painted = { arrived: [], counted: [], filtered: [], turned: [] };
  const arrive = async (how: string): Promise<readonly [Page, number]> => {
    const page = await person.open('/acts');
    return [page, await page.evaluate<number>(how)];
  };
  for (let run = 0; run < runs; run += 1) {
    const [page, arrived] = await arrive(ARRIVED);
    times.arrived.push(arrived);
    await settled(page);
    times.turned.push(await page.evaluate<number>(TURNED));
    await settled(page);
    const state = run % 2 === 0 ? 'rejected' : 'succeeded';
    times.filtered.push(await page.evaluate<number>(filtered(state)));
    times.counted.push((await arrive(COUNTED))[1]);
  }
  return times;
}

/** The delays that a person notices while scrolling, in milliseconds. */
export interface Scrolled {
  /** The time from the navigation until the page can be scrolled. */
  readonly shown: number;
  /** How long each frame took until it was drawn. */
  readonly frames: readonly number[];
  /** The duration of each task that took longer than 50 ms. */
  readonly tasks: readonly number[];
}

const WATCH = `self.seen = { frames: [], tasks: [] };
  new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => seen.tasks.push(duration)))
    .observe({ type: 'longtask' });
  let before = performance.now();
  const frame = (now) => { seen.frames.push(now - before); before = now; requestAnimationFrame(frame); };
  requestAnimationFrame(frame)`;

/** Scrolls a page to its end, by one turn of the mouse wheel in each frame. */
async function scroll(page: Page, shown: number): Promise<Scrolled> {
  await page.mouse.move(700, 500);
  await page.evaluate(WATCH);
  for (let turn = 0; turn < TURNS; turn += 1) await page.mouse.wheel(0, TURN_PX * (1 + turn / 10));
  return { shown, ...(await page.evaluate<Omit<Scrolled, 'shown'>>('self.seen')) };
}

/** Scrolls a page with as many operations as a list of the API may contain. */
export async function scrollRows(person: Person): Promise<Scrolled> {
  const { context } = person;
  await context.route('**/ops/operations?*', (route) =>
    route.continue({ url: `${route.request().url()}&limit=${ROWS}` }),
  );
  await context.route('**/ops/operations', (route) =>
    route.continue({ url: `${route.request().url()}?limit=${ROWS}` }),
  );
  const page = await person.open('/acts');
  const shown = await page.evaluate<number>(painted(GO, `rows().length >= ${ROWS}`));
  await settled(page);
  const scrolled = await scroll(page, shown);
  await context.unrouteAll();
  return scrolled;
}

/** Scrolls the page of a licence with a very long history. */
export async function scrollHistory(
  { world }: WebWorld,
  person: Person,
  contractId: string,
): Promise<Scrolled> {
  await queryOnce(
    world.tenure.state.databaseUrl,
    `insert into history (lifecycle_id, seq, n, at, kind, state, by, detail)
     select lifecycle.id, version, 100 + g, now() - (${HISTORY} - g) * interval '1 s', last.kind, last.state, last.by, last.detail
     from lifecycle, generate_series(1, ${HISTORY}) g,
          lateral (select * from history h where h.lifecycle_id = lifecycle.id order by seq desc, n desc limit 1) last
     where lifecycle.contract_id = $1`,
    [contractId],
  );
  const page = await person.open('/licenses');
  const shown = await page.evaluate<number>(
    painted(
      `document.querySelector('main a[href*="${contractId}"]').click()`,
      `document.querySelector('[class*=history] li') !== null`,
    ),
  );
  await settled(page);
  return scroll(page, shown);
}
