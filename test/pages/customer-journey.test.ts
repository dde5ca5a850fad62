import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../kit/chromium.ts';
import { forFile } from '../kit/for-file.ts';
import { startWebWorld } from '../web/kit/people.ts';
import { fill } from '../web/kit/stock.ts';

/*
 * A provider gives a user a name and finds the name on the user's licence. Then the provider suspends and reinstates
 * the licence.
 */

async function giveReason(page: Page, words: string, verb: string, reason: string): Promise<void> {
  await page.getByRole('main').getByRole('button', { name: words, exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByRole('button', { name: verb, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

describe.skipIf(!hasChromium)('a customer', async () => {
  const web = hasChromium ? await forFile(startWebWorld()) : null;
  const stock = web === null ? null : await fill(web.world);

  test('has a name on its licence, which is suspended and reinstated', async () => {
    const { license } = stock!;
    await using provider = await web!.person('provider');
    await using user = await web!.person('user');
    const page = await provider.open(`/licenses/${license}`);
    const suspended = async (): Promise<unknown> =>
      (await web!.world.call('user', 'GET', `/licenses/${license}`)).body.suspended?.reason;

    await page.getByRole('link', { name: 'Name this user' }).click();
    const form = page.getByRole('dialog', { name: 'Add a customer' });
    await form.getByLabel('Name', { exact: true }).fill('Orchard');
    await form.getByLabel('Mail addresses').fill('not an address');
    await form.getByRole('button', { name: 'Add', exact: true }).click();
    await form.getByText('must be a mail address').waitFor();
    await form.getByLabel('Mail addresses').fill('billing@orchard.example, it@orchard.example');
    await form.getByRole('button', { name: 'Add', exact: true }).click();
    const row = page.getByRole('main').getByRole('row').filter({ hasText: 'Orchard' });
    await row.getByText('it@orchard.example').waitFor();

    await row.getByRole('link', { name: 'Orchard', exact: true }).click();
    const change = page.getByRole('dialog', { name: 'Change Orchard' });
    await change.getByLabel('Name', { exact: true }).fill('Orchard Ltd');
    await change.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Licences of Orchard Ltd' }).click();
    const listed = page.getByRole('main').getByRole('row').filter({ hasText: 'Orchard Ltd' });
    await listed.getByRole('link', { name: 'LIC-0001' }).click();
    await page.getByRole('heading', { name: 'Licence LIC-0001' }).waitFor();
    await page.getByRole('link', { name: 'Orchard Ltd' }).waitFor();

    await giveReason(page, 'Suspend licence', 'Suspend', 'chargeback of January');
    await page.getByText('The licence is suspended.').waitFor();
    expect(await suspended()).toBe('chargeback of January');
    const seen = await user.open(`/licenses/${license}`);
    await seen.getByText(/^Since .*: chargeback of January$/u).waitFor();
    expect(await seen.getByRole('button', { name: 'Reinstate licence' }).count()).toBe(0);
    expect(await seen.getByText('Orchard').count()).toBe(0);

    await giveReason(page, 'Reinstate licence', 'Reinstate', 'paid by transfer');
    await page.getByRole('button', { name: 'Suspend licence' }).waitFor();
    expect(await suspended()).toBeUndefined();
    // The user's page changes because of an event, and is not reloaded.
    await seen.getByText('The licence is suspended.').waitFor({ state: 'detached' });
    expect([...provider.findings, ...user.findings]).toEqual([]);
  });

  test('has a subscription, which the user cancels, and both homes lead to what waits', async () => {
    const { license } = stock!;
    const plan = { id: 'pro', name: 'Pro', period: 'P30D', fee: '12.5' };
    expect((await web!.world.call('provider', 'POST', '/plans', { body: plan })).status).toBe(201);
    await using provider = await web!.person('provider');
    await using user = await web!.person('user');
    const page = await provider.open('/overview');
    await page.getByRole('link', { name: /^Requests to decide\s*[1-9]/u }).click();
    await page.getByRole('heading', { name: 'Requests', exact: true }).waitFor();

    await provider.open(`/licenses/${license}`);
    const mine = page.getByRole('region', { name: 'Subscription' });
    await mine.getByRole('button', { name: 'Set up' }).click();
    await page.getByRole('dialog').getByLabel('Plan', { exact: true }).selectOption('pro');
    await page.getByRole('dialog').getByRole('button', { name: 'Set up' }).click();
    await mine.getByText('Past due').waitFor();
    await provider.open('/subscriptions');
    const row = page.getByRole('main').getByRole('row').filter({ hasText: 'LIC-0001' });
    await row.getByText('Orchard Ltd').waitFor();

    const seen = await user.open('/overview');
    await seen.getByRole('link', { name: /^To pay\s*100\sAmulet/u }).waitFor();
    await seen.getByRole('link', { name: 'Pay for LIC-0001' }).waitFor();
    await user.open(`/licenses/${license}`);
    const theirs = seen.getByRole('region', { name: 'Subscription' });
    expect(await seen.getByRole('button', { name: 'Offer renewal' }).count()).toBe(0);
    expect(await theirs.getByRole('button', { name: 'Change' }).count()).toBe(0);
    await theirs.getByRole('button', { name: 'Cancel subscription' }).click();
    const dialog = seen.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Cancel subscription' }).click();
    await theirs.getByText('Cancelled').first().waitFor();
    expect([...provider.findings, ...user.findings]).toEqual([]);
  });

  test('is acted on among selected licences, as the preview has shown', async () => {
    const { license } = stock!;
    await using provider = await web!.person('provider');
    const page = await provider.open('/licenses');
    const all = page.getByRole('button', { name: 'Act on all of these' });
    expect(await all.getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('checkbox', { name: 'Select LIC-0001' }).check();
    await page.getByText('1 selected', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Act on the selected' }).click();
    const dialog = page.getByRole('dialog', { name: 'Act on licences' });
    await dialog.getByText('1 selected licence', { exact: true }).waitFor();
    const look = dialog.getByRole('button', { name: 'Preview' });
    await look.click();
    await dialog.getByText('Give a reason.').waitFor();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('the terms were broken');

    // A preview lists what the act leaves out, and why. To confirm an irreversible act, a person must enter the number
    // of objects.
    await dialog.getByRole('radio', { name: /^End/u }).check();
    await look.click();
    await dialog.getByText('a renewal of the licence is open').waitFor();
    const end = dialog.getByRole('button', { name: 'End 0' });
    expect(await end.getAttribute('aria-disabled')).toBe('true');
    await dialog.getByRole('button', { name: 'Back' }).click();

    await dialog.getByRole('radio', { name: /^Suspend/u }).check();
    await look.click();
    await dialog.getByText('licence to suspend at once. Nothing has been done yet.').waitFor();
    const reason = async (): Promise<unknown> =>
      (await web!.world.call('user', 'GET', `/licenses/${license}`)).body.suspended?.reason;
    expect(await reason()).toBeUndefined();
    await dialog.getByRole('button', { name: 'Suspend 1' }).click();
    await page.getByRole('dialog', { name: '1 licence suspended' }).waitFor();
    expect(await reason()).toBe('the terms were broken');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('main').getByRole('row').getByText('Suspended').waitFor();
    expect(await page.getByText('1 selected', { exact: true }).count()).toBe(0);
    expect(provider.findings).toEqual([]);
  });

  test('is in a view that the browser keeps, with its filter and its columns', async () => {
    await using provider = await web!.person('provider');
    const page = await provider.open('/licenses');
    const plan = page.getByRole('columnheader', { name: 'Plan' });
    await plan.waitFor();
    await page.getByText('Columns', { exact: true }).click();
    await page.getByRole('checkbox', { name: 'Plan', exact: true }).uncheck();
    await plan.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'State' }).selectOption('suspended');
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Blocked');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();

    await provider.open('/licenses');
    await plan.waitFor();
    await page.getByRole('link', { name: 'Blocked', exact: true }).click();
    await page.waitForURL(/state=suspended/u);
    await plan.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Delete view Blocked' }).click();
    await page.getByRole('link', { name: 'Blocked', exact: true }).waitFor({ state: 'detached' });
    expect(provider.findings).toEqual([]);
  });
});
