import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../kit/chromium.ts';
import { forFile } from '../kit/for-file.ts';
import { control } from '../web/kit/acts.ts';
import type { Person } from '../web/kit/people.ts';
import { settled, startWebWorld } from '../web/kit/people.ts';
import { fill } from '../web/kit/stock.ts';

/*
 * Behaviour that all pages have in common: lists that do not move under the pointer, times and rows in the form that
 * the person has chosen, histories, and bulk acts.
 */

const REFUSED = 'DAML_FAILURE';

describe.skipIf(!hasChromium)('pages', async () => {
  const web = hasChromium ? await forFile(startWebWorld()) : null;
  const stock = web === null ? null : await fill(web.world);
  const rowsOf = (page: Page) => page.getByRole('main').locator('tbody tr');
  const ask = (commandId: string) =>
    web!.world.call('user', 'POST', `/app-install-requests?commandId=${commandId}`, { body: {} });

  test('a list that changes keeps still under the pointer, and says that it has changed', async () => {
    await using person = await web!.person('provider');
    const page = await person.open('/requests');
    await page.getByText('Live', { exact: true }).waitFor();
    const before = await rowsOf(page).allTextContents();
    await rowsOf(page).first().hover();
    expect((await ask(randomUUID())).status).toBe(201);
    await page.getByRole('button', { name: 'The list has changed: show' }).waitFor();
    expect(await rowsOf(page).count()).toBe(before.length);
    await page.getByRole('button', { name: 'The list has changed: show' }).click();
    await expect.poll(() => rowsOf(page).count()).toBe(before.length + 1);
    // The list stays as it is only while the pointer is in it.
    await page.locator('h1').hover();
    expect((await ask(randomUUID())).status).toBe(201);
    await expect.poll(() => rowsOf(page).count()).toBe(before.length + 2);
    expect(person.findings).toEqual([]);
  });

  test('times, rows and colours are as they were chosen once, also after a reload', async () => {
    await using person = await web!.person('provider', { timezoneId: 'America/New_York' });
    const page = await person.open(`/licenses/${stock!.license}`);
    const timesOf = () =>
      page.evaluate<readonly (readonly [at: string, title: string])[]>(
        `[...document.querySelectorAll('main time')].map((one) => [one.dateTime, one.title])`,
      );
    const chooses = async (what: string, value: string): Promise<void> => {
      await page.getByRole('button', { name: 'Settings' }).click();
      await page.getByLabel(what, { exact: true }).selectOption(value);
      await page.keyboard.press('Escape');
      await page.reload();
      await settled(page);
    };
    const exact = async (is: (at: string, title: string) => boolean): Promise<boolean> =>
      (await timesOf()).some(([at, title]) => is(at, title));
    const isLocal = (_at: string, title: string) => /(?:GMT-[45]|E[SD]T)$/u.test(title);
    expect(await exact(isLocal)).toBe(true);
    await chooses('Times', 'utc');
    expect([await exact(isLocal), await exact((_at, title) => title.endsWith('UTC'))]).toEqual([
      false,
      true,
    ]);
    await chooses('Times', 'ledger');
    expect(await exact((at, title) => at === title)).toBe(true);

    await person.open('/licenses');
    const height = () => page.evaluate<number>(`document.querySelector('tbody tr').offsetHeight`);
    const comfortable = await height();
    await chooses('Rows', 'compact');
    expect(await height()).toBeLessThan(comfortable);

    const colour = () =>
      page.evaluate<string>(`getComputedStyle(document.documentElement).backgroundColor`);
    await chooses('Theme', 'light');
    const light = await colour();
    await chooses('Theme', 'dark');
    expect(await colour()).not.toBe(light);
    expect(person.findings).toEqual([]);
  });

  test('a person ends a session of another browser, and an operator any session with a reason', async () => {
    await using here = await web!.person('user');
    await using there = await web!.person('user');
    const userOf = (person: Person) => person.context.request.get(`${web!.origin}/user`);
    const { subject } = (await (await userOf(here)).json()) as { readonly subject: string };
    const { page } = here;
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'Where you are signed in' }).click();
    const own = page.getByRole('region', { name: 'Your sessions' });
    await expect.poll(() => own.locator('tbody tr').count()).toBe(2);
    expect(await own.getByText('This browser').count()).toBe(1);
    await own.getByRole('button', { name: 'End session' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click();
    await expect.poll(() => own.locator('tbody tr').count()).toBe(1);
    expect([(await userOf(there)).status(), (await userOf(here)).status()]).toEqual([401, 200]);

    await using operator = await web!.person('operator');
    const desk = await operator.open('/sessions');
    await expect.poll(() => rowsOf(desk).count()).toBeGreaterThan(1);
    await desk.getByLabel('Subject').fill(subject);
    await desk.getByRole('button', { name: 'Filter' }).click();
    await expect.poll(() => rowsOf(desk).count()).toBe(1);
    await rowsOf(desk).getByRole('button', { name: 'End session' }).click();
    const dialog = desk.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('the laptop was lost');
    await dialog.getByRole('button', { name: 'End session' }).click();
    await desk.getByText('No session matches.').waitFor();
    expect((await userOf(here)).status()).toBe(401);
    await operator.open('/audit');
    await desk.getByText('the laptop was lost').first().waitFor();
    expect([...here.findings, ...there.findings, ...operator.findings]).toEqual([]);
  });

  test('a statechart leads through its history, and its outline says the same', async () => {
    await using person = await web!.person('provider');
    const page = await person.open(`/licenses/${stock!.license}`);
    const slider = page.getByRole('slider', { name: 'Moment of the history' });
    await slider.focus();
    await page.keyboard.press('Home');
    await page.waitForURL(/[?&]at=%220%22/u);
    await page.getByText('Step 0 of').waitFor();
    await page.reload();
    await settled(page);
    expect(await slider.inputValue()).toBe('0');
    await page.getByRole('button', { name: 'Outline' }).click();
    for (const state of ['Active', 'Renewing', 'Expiring', 'Expired', 'Whatever the state']) {
      await page
        .getByRole('main')
        .getByText(new RegExp(`^${state}$`, 'iu'))
        .first()
        .waitFor();
    }
    await page.getByRole('button', { name: 'Back to now' }).click();
    await expect.poll(() => page.url()).not.toContain('at=');
    expect(person.findings).toEqual([]);
  });

  test('an act on many is previewed, counted and applied, and says what became of them', async () => {
    const { world } = web!;
    const ids = [`many-${randomUUID()}`, `many-${randomUUID()}`];
    for (const commandId of ids) {
      await control(world, 'POST', 'faults', {
        kind: 'error',
        code: REFUSED,
        times: 1,
        where: { commandId },
      });
      expect((await ask(commandId)).status).toBe(409);
    }
    const requests = async (): Promise<number> =>
      (await world.call('user', 'GET', '/app-install-requests')).body.length;
    const before = await requests();
    await using person = await web!.person('operator');
    const page = await person.open('/operations?commandId=many-*');
    await page.getByRole('button', { name: 'Act on all of these' }).click();
    const dialog = page.getByRole('dialog', { name: 'Act on all of these' });
    await dialog.getByLabel('Reason').fill('the ledger was upgraded');
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await dialog.getByRole('button', { name: 'Retry 2' }).click();
    await page.waitForURL(/\/ui\/acts\/[0-9a-f-]{36}$/u);
    await page.getByRole('main').getByText('None was refused.').waitFor();
    await expect.poll(requests).toBe(before + 2);
    await page.getByRole('link', { name: 'Retries since then' }).click();
    await page.waitForURL(/\/ui\/operations/u);
    await expect.poll(() => rowsOf(page).count()).toBe(2);
    expect(await rowsOf(page).getByText('Succeeded', { exact: true }).count()).toBe(2);
    expect(person.findings).toEqual([]);
  });

  test('a list says which part of how many it shows, from page to page', async () => {
    const { world } = web!;
    const { length } = (await world.call('provider', 'GET', '/app-install-requests')).body;
    const made = await Promise.all(Array.from({ length: 53 - length }, () => ask(randomUUID())));
    expect(made.every(({ status }) => status === 201)).toBe(true);
    await using person = await web!.person('provider');
    const page = await person.open('/requests');
    await page.getByText('1–50 of 53', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText('51–53 of 53', { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'State' }).selectOption('true');
    await page.getByText('51–53 of 53', { exact: true }).waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'First page' }).count()).toBe(0);
    expect(person.findings).toEqual([]);
  });

  test('one’s own comment is in sight among many, and older ones come when they are asked for', async () => {
    const { world } = web!;
    const said = await Promise.all(
      Array.from({ length: 21 }, (_none, n) => {
        const url = `/licenses/${stock!.license}/comments?commandId=${randomUUID()}`;
        return world.call('user', 'POST', url, { body: { body: `remark ${n}` } });
      }),
    );
    expect(said.map(({ status }) => status)).toEqual(said.map(() => 201));
    await using person = await web!.person('user');
    const page = await person.open(`/licenses/${stock!.license}`);
    const history = page.getByRole('region', { name: 'History' });
    await history.getByRole('button', { name: /^Show older entries/u }).waitFor();
    await page.getByLabel('Add a comment').fill('This is mine.');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.locator('li').filter({ hasText: 'This is mine.' }).first().waitFor();
    const first = page.getByText('When does it start?');
    expect(await first.count()).toBe(0);
    await page.getByRole('button', { name: /^Show older comments/u }).click();
    await first.waitFor();
    expect(person.findings).toEqual([]);
  });

  test('a page says that the ledger is away, and that the browser is offline', async () => {
    await using person = await web!.person('user');
    // Imitates an API whose ledger is unreachable, so that it is ready for reads only.
    await person.page.route(/\/readyz$/u, (route) => route.fulfill({ status: 503 }));
    const page = await person.open('/licenses');
    await page.getByText('Ledger away', { exact: true }).waitFor();
    await page.getByText(/^The ledger has not answered for \d/u).waitFor();
    await person.context.setOffline(true);
    await page.getByText('Offline', { exact: true }).waitFor();
    await page.getByText('Your browser is offline.').waitFor();
    await person.context.setOffline(false);
    const banner = page.getByText('Your browser is offline.');
    await expect.poll(() => banner.count()).toBe(0);
  });
});
