import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../kit/chromium.ts';
import { forFile } from '../kit/for-file.ts';
import type { World } from '../e2e/kit/world.ts';
import type { Person } from './kit/people.ts';
import { startWebWorld } from './kit/people.ts';

/*
 * The life of a licence with nothing but pages, where each role has its own browser: requested, accepted, created,
 * offered for renewal, paid in the wallet, completed and ended. What the pages show is compared with the ledger's own
 * counts.
 */

/** Confirms the open dialog with its last button, and waits until the ledger has answered. */
async function confirm(page: Page, verb: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: verb, exact: true }).click();
  const end = dialog.getByText('Done', { exact: true }).or(dialog.getByRole('alert'));
  await end.first().waitFor();
  expect(await dialog.textContent()).toContain('Done');
}

const close = (page: Page): Promise<void> =>
  page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().click();

const operation = (page: Page, words: string): Promise<void> =>
  page.getByRole('main').getByRole('button', { name: words, exact: true }).first().click();

/** Pays the request as a person does, in LocalNet's wallet. */
async function payInWallet(user: Person, description: string): Promise<void> {
  const [wallet] = await Promise.all([
    user.context.waitForEvent('page'),
    user.page.getByRole('link', { name: /wallet/iu }).click(),
  ]);
  await wallet.getByRole('button', { name: 'Log In with OAuth2' }).click();
  // The authorization server knows the person already, so it asks only for the password.
  await wallet.getByText('Please re-authenticate to continue').waitFor();
  await wallet.getByLabel('Password').fill('abc123');
  await wallet.getByRole('button', { name: 'Sign In' }).click();
  await wallet.getByLabel('Amount').fill('500');
  await wallet.getByRole('button', { name: 'Tap' }).click();
  await wallet.locator('#balance').getByText('500', { exact: true }).waitFor();
  await wallet.getByRole('link', { name: 'Payments' }).click();
  const asked = wallet.locator('#requests > li').filter({ hasText: description });
  await asked.getByRole('button', { name: 'Accept' }).click();
  await asked.getByText('Accepted').waitFor();
  await wallet.close();
}

/** Advances the ledger's time by days. */
async function pass(world: World, days: number): Promise<void> {
  const answer = await fetch(`${world.tenure.state.localnet!.networkUrl}/control/time`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advanceSeconds: days * 86_400 }),
  });
  expect(answer.status).toBe(200);
}

describe.skipIf(!hasChromium)('a licence', async () => {
  const web = hasChromium ? await forFile(startWebWorld({ LOCALNET_TIME: 'static' })) : null;

  test('lives from its request to its end, through pages', async () => {
    const { world } = web!;
    await using user = await web!.person('user');
    await using provider = await web!.person('provider');
    const active = async (path: string): Promise<number> =>
      (await world.call('provider', 'GET', path)).body.length;

    const asking = await user.open('/requests');
    await operation(asking, 'Request an installation');
    await confirm(asking, 'Ask');
    expect(await active('/app-install-requests')).toBe(1);

    // The provider's page changes because of an event, and is not reloaded.
    const selling = await provider.open('/requests');
    await selling.getByRole('main').getByRole('row').nth(1).getByRole('link').first().click();
    await operation(selling, 'Accept');
    await confirm(selling, 'Accept');
    await selling.getByRole('dialog').getByRole('link', { name: 'To the installation' }).click();
    expect([await active('/app-install-requests'), await active('/app-installs')]).toEqual([0, 1]);

    await operation(selling, 'Create a licence');
    await confirm(selling, 'Create');
    await close(selling);
    expect(await active('/licenses')).toBe(1);
    await provider.open('/licenses');
    const row = selling.getByRole('main').getByRole('row').nth(1);
    await row.getByText('Not active yet').waitFor();
    await selling.getByRole('main').getByRole('row').nth(1).getByRole('link').first().click();
    await operation(selling, 'Offer renewal');
    const dialog = selling.getByRole('dialog');
    await dialog.getByLabel('Fee, in Amulet').fill('100');
    await dialog.getByLabel('Description').fill('One more month');
    await confirm(selling, 'Offer');
    await close(selling);

    const paying = await user.open('/renewals');
    await paying.getByText('100 Amulet').first().waitFor();
    await payInWallet(user, 'One more month');

    await provider.open('/renewals');
    await selling.getByRole('main').getByRole('row').nth(1).getByRole('link').first().click();
    await operation(selling, 'Complete');
    await confirm(selling, 'Complete');
    await close(selling);

    // A licence that has been paid for is valid.
    await user.open('/licenses');
    await paying.getByRole('main').getByRole('row').nth(1).getByText('Valid').waitFor();
    const [license] = (await world.call('user', 'GET', '/licenses')).body;
    expect(license.isExpired).toBe(false);

    // According to the ledger's time, the licence has now lapsed and may be ended.
    await pass(world, 31);
    await user.open('/licenses');
    await paying.getByRole('main').getByRole('row').nth(1).getByText('Expired').waitFor();
    await provider.open('/licenses');
    await selling.getByRole('main').getByRole('row').nth(1).getByRole('link').first().click();
    await operation(selling, 'End licence');
    await selling.getByRole('dialog').getByLabel('Reason for the other side').fill('trial over');
    await confirm(selling, 'End licence');
    await close(selling);
    expect(await active('/licenses')).toBe(0);
    await selling.getByText('The licence was ended.').waitFor();
    await provider.open('/licenses?ended=true');
    await row.getByText('Ended', { exact: true }).waitFor();
    expect(await selling.getByRole('combobox', { name: 'State' }).inputValue()).toBe('ended');

    // An operator sees the traffic of the month beside the revenue.
    await using operator = await web!.person('operator');
    await expect.poll(() => active('/stats/revenue'), { timeout: 90_000 }).toBe(1);
    const figures = await operator.open('/statistics');
    const revenue = figures.getByRole('region', { name: 'Revenue in Amulet' }).getByRole('row');
    await revenue.filter({ hasText: /100\sAmulet.*\d\skB/u }).waitFor();

    expect([...user.findings, ...provider.findings, ...operator.findings]).toEqual([]);
  });
});
