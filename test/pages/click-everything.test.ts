import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../kit/chromium.ts';
import { forFile } from '../kit/for-file.ts';
import { FOR, addressOf } from '../web/kit/addresses.ts';
import { commandLinesOf, misread } from '../web/kit/command-lines.ts';
import type { Person } from '../web/kit/people.ts';
import { settled, startWebWorld } from '../web/kit/people.ts';
import { RENEWAL, fill } from '../web/kit/stock.ts';

/*
 * Presses everything on a page that does no harm: buttons, menus, links. No act is sent, because dialogs are closed
 * with Escape. No press may lead to an error, and every link must lead to a page.
 */

/** Buttons that send something or end the session. */
const HARMFUL = /^(?:Sign out|Send|Disable|Enable)/u;
/** Buttons that every page has. The test presses each of them only once. */
const COMMON =
  /^(?:Copy|Settings|Pages|Find|Light|Dark|UTC|Local|Ledger|Compact|Comfortable|As the)/u;

/** The form of a policy requests a preview without a further press, after 400 ms. A preview changes no policy. */
const PREVIEW = /^POST \S+\/policies\/(?:expiry|renewal)\/preview$/u;

/** Presses the first control whose name is not one of these. @returns its name, or null if there is none */
const press = (page: Page, seen: ReadonlySet<string>, harmful = HARMFUL): Promise<string | null> =>
  page.evaluate<string | null>(`(() => {
    const seen = new Set(${JSON.stringify([...seen])});
    for (const one of document.querySelectorAll('button, summary')) {
      const said = (one.getAttribute('aria-label') ?? one.innerText).trim().split('\\n')[0];
      const isLeft = one.getAttribute('aria-disabled') === 'true' || !one.checkVisibility();
      if (isLeft || seen.has(said) || ${harmful}.test(said)) continue;
      one.click();
      return said;
    }
    return null;
  })()`);

interface Shown {
  readonly alerts: readonly string[];
  /** The number of dialogs and menus that are open. */
  readonly open: number;
  readonly path: string;
  /** Dialogs that do not offer a command line to copy. */
  readonly bare: readonly string[];
}

const look = (page: Page): Promise<Shown> =>
  page.evaluate<Shown>(`({
    alerts: [...document.querySelectorAll('[role="alert"]')].map((one) => one.textContent ?? ''),
    open: document.querySelectorAll('dialog[open], details[name][open], :popover-open').length,
    path: location.pathname,
    bare: [...document.querySelectorAll('dialog[open]')]
      .filter((one) => one.querySelector('[aria-label="Copy as"]') === null)
      .map((one) => one.querySelector('h2')?.textContent ?? ''),
  })`);

/** Closes everything that a press has opened, in the way in which a person would. */
async function leave(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await settled(page);
}

interface Told {
  /** The buttons that every page has and that the test has already pressed. */
  readonly common: Set<string>;
  /** The command lines that pages and their dialogs have offered. */
  readonly lines: Set<string>;
}

/** Dialogs that change nothing outside this browser. */
const CHANGES_NOTHING: ReadonlySet<string> = new Set(['Find', 'Keys', 'Save this view']);

/** Presses each button and opens each menu once. @returns the names of those that have led to an error */
async function pressAll(
  person: Person,
  address: string,
  { common, lines }: Told,
): Promise<string[]> {
  const { page } = person;
  const wrong: string[] = [];
  const seen = new Set<string>();
  for (;;) {
    const said = await press(page, new Set([...seen, ...common]));
    if (said === null) return wrong;
    (COMMON.test(said) ? common : seen).add(said);
    await settled(page);
    const after = await look(page);
    for (const line of await commandLinesOf(page)) lines.add(line);
    const bare = after.bare.filter((title) => !CHANGES_NOTHING.has(title));
    wrong.push(...bare.map((title) => `${title}: cannot be copied as a command line`));
    if (after.alerts.length > 0) wrong.push(`${said}: ${after.alerts.join(' ')}`);
    if (after.open > 0) await leave(page);
    if (after.open > 0 && (await look(page)).open > 0) wrong.push(`${said}: Escape leaves it open`);
    if (after.path !== `/ui${address}`) await person.open(address);
  }
}

/** Presses each button once, also those that send something. @returns the titles of the acts' dialogs */
async function offersOf(person: Person, address: string): Promise<string[]> {
  const page = await person.open(address);
  const offered: string[] = [];
  const seen = new Set<string>();
  for (;;) {
    const said = await press(page, seen, /^Sign out/u);
    if (said === null) return offered;
    seen.add(said);
    await settled(page);
    const titles = await page
      .getByRole('dialog')
      .getByRole('heading', { level: 2 })
      .allTextContents();
    offered.push(...titles.filter((title) => !CHANGES_NOTHING.has(title)));
    const after = await look(page);
    if (after.open > 0) await leave(page);
    if (after.path !== `/ui${address}`) await person.open(address);
  }
}

/** Returns the links of the page to other pages of the application. */
async function linksOf(page: Page): Promise<readonly string[]> {
  const hrefs = await page.evaluate<string[]>(
    `[...document.querySelectorAll('a[href]')].map((one) => one.getAttribute('href'))`,
  );
  return hrefs.filter((href) => href.startsWith('/ui/')).map((href) => href.slice('/ui'.length));
}

/** Returns the kind of a link. Links of one kind lead to the same page, so only one of them is followed. */
const kindOf = (address: string): string =>
  address
    .replace(/[#?].*$/u, '')
    .replaceAll(/\/(?:00[0-9a-f]{20,}|[0-9a-f-]{36}|stock-[^/]+)/gu, '/$');

/** @returns the addresses that do not lead to a page */
async function followAll(person: Person, addresses: readonly string[]): Promise<string[]> {
  const dead: string[] = [];
  for (const address of addresses) {
    const page = await person.open(address);
    const title = await page.locator('h1').first().textContent();
    const isNowhere = (await page.getByText('Not found.').count()) > 0;
    if (isNowhere || /no such page|failed/u.test(title ?? '')) dead.push(address);
  }
  return dead;
}

describe.skipIf(!hasChromium)('everything that may be pressed', async () => {
  const web = hasChromium ? await forFile(startWebWorld()) : null;
  const stock = web === null ? null : await fill(web.world);
  const ROLES = ['user', 'provider', 'operator'] as const;

  test.concurrent.each(ROLES)('on the pages of %s', async (who) => {
    await using person = await web!.person(who);
    const changes: string[] = [];
    person.context.on('request', (request) => {
      const sent = `${request.method()} ${request.url()}`;
      if (request.method() !== 'GET' && !PREVIEW.test(sent)) changes.push(sent);
    });
    const wrong: Record<string, readonly string[]> = {};
    const links = new Map<string, string>();
    const told: Told = { common: new Set(), lines: new Set() };
    for (const key of FOR[who]) {
      const address = addressOf(key, stock!);
      const page = await person.open(address);
      for (const link of await linksOf(page)) links.set(kindOf(link), link);
      const found = await pressAll(person, address, told);
      if (found.length > 0) wrong[key] = found;
    }
    const visited = new Set(FOR[who].map((key) => kindOf(addressOf(key, stock!))));
    const others = [...links].filter(([kind]) => !visited.has(kind)).map(([, link]) => link);
    expect(wrong).toEqual({});
    expect(await followAll(person, others)).toEqual([]);
    expect([...told.lines].flatMap((line) => misread(line) ?? [])).toEqual([]);
    expect(changes).toEqual([]);
    expect(person.findings).toEqual([]);
  });
});

test.skipIf(!hasChromium)('a person who may only read is offered no act', async () => {
  await using web = await startWebWorld({
    // People sign in with the last client, and the test creates objects with the first one.
    AUTH_APP_PROVIDER_CLIENTS: 'app-provider-unsafe,app-provider-backend-oidc=read',
  });
  const stock = await fill(web.world);
  // The list of renewals offers to withdraw this one, because the user has not paid in time.
  const late = await web.world.call(
    'provider',
    'POST',
    `/licenses/${stock.license}:renew?commandId=late`,
    {
      body: { ...RENEWAL, prepareUntilDuration: 'PT5S', allowConcurrent: true },
    },
  );
  expect(late.status).toBe(201);
  await using person = await web.person('provider');
  const changes: string[] = [];
  person.context.on('request', (request) => {
    if (request.method() !== 'GET') changes.push(`${request.method()} ${request.url()}`);
  });
  const renewals = await person.open('/renewals');
  await renewals.getByRole('main').getByRole('button', { name: 'Withdraw' }).first().waitFor();
  const offered: Record<string, readonly string[]> = {};
  for (const key of FOR.provider) {
    const found = await offersOf(person, addressOf(key, stock));
    if (found.length > 0) offered[key] = found;
  }
  expect(offered).toEqual({});
  expect(changes).toEqual([]);
});
