import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Localnet } from '../../localnet/localnet.ts';
import { hasChromium, launchChromium } from '../kit/chromium.ts';
import { PROVIDER_ADMIN } from './kit/identities.ts';
import { openNetwork } from './kit/network.ts';
import type { Network } from './kit/network.ts';
import {
  askForRenewal,
  completeRenewal,
  ledgerUserWallet,
  newUserLicense,
  WalletClient,
} from './kit/wallet.ts';
import { PATIENCE_MS } from '../kit/patience.ts';

/** The wallet page as a person uses it, in a real browser: sign in, tap, accept, reject, withdraw. */

describe.skipIf(!hasChromium)('the wallet page in a browser', () => {
  let network: Network<Localnet>;
  let browser: Browser;

  beforeAll(async () => {
    [network, browser] = await Promise.all([openNetwork(), launchChromium()]);
  });
  afterAll(async () => {
    await browser?.close();
    await network?.[Symbol.asyncDispose]();
  });

  const originOf = (host: string) => `http://${host}:${new URL(network.localnet.urls.wallet).port}`;

  /**
   * Opens the page in a new browser profile. Fails the test if the page violates its own content security policy or
   * throws an error.
   */
  async function opened(
    path: string,
    run: (page: Page) => Promise<void>,
    { host = 'wallet.localhost', ...options }: BrowserContextOptions & { host?: string } = {},
  ): Promise<void> {
    const context = await browser.newContext({
      viewport: { width: 1_000, height: 800 },
      ...options,
    });
    const complaints: string[] = [];
    try {
      const page = await context.newPage();
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', ({ message }) => complaints.push(message));
      page.setDefaultTimeout(PATIENCE_MS);
      await page.goto(`${originOf(host)}${path}`);
      await run(page);
      // The browser reports a refusal of the ledger as a failed request. This is not an error of the page.
      expect(complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
    } finally {
      await context.close();
    }
  }

  async function signIn(page: Page, username = 'app-user'): Promise<void> {
    await page.getByRole('button', { name: 'Log In with OAuth2' }).click();
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password').fill('abc123');
    await page.keyboard.press('Enter');
    await page.getByText(username === 'app-user' ? 'app user' : 'Adrian Doe').waitFor();
  }

  const balance = (page: Page, text: string) =>
    page.locator('#balance').getByText(text, { exact: true }).waitFor();
  const told = (page: Page, text: string | RegExp) =>
    page.locator('.toast').getByText(text).waitFor();
  const request = (page: Page, description: string) =>
    page.locator('#requests > li').filter({ hasText: description });

  test('a renewal is paid: sign in, tap, accept; the provider settles, and has the money', () =>
    opened('/', async (page) => {
      await signIn(page);
      expect(new URL(page.url()).search).toBe('');
      await balance(page, '0');
      await page.getByLabel('Amount').fill('1234.5');
      await page.getByRole('button', { name: 'Tap' }).click();
      await told(page, 'Received 1,234.5 Amulet');
      await balance(page, '1,234.5');
      const tapped = page.locator('.tx-row-balance_change');
      await tapped.getByText('+1,234.5').waitFor();
      await tapped.getByText('Balance change · Tap').waitFor();

      const license = await newUserLicense(network);
      const terms = { amount: '100.25', description: 'One more year of everything' };
      const requestId = await askForRenewal(network, license, terms);
      await page.getByRole('link', { name: 'Payments' }).click();
      const asked = request(page, 'One more year of everything');
      await asked.getByText('Waiting for you').waitFor();
      await page.getByRole('link', { name: /1 waiting/ }).waitFor();
      expect(await asked.textContent()).toContain('100.25');
      await asked.getByText(/in 9 minutes/).waitFor();

      await asked.getByRole('button', { name: 'Accept' }).click();
      await told(page, 'Set aside 100.25 Amulet');
      await asked.getByText('Accepted').waitFor();
      await page.locator('#allocations > li').getByText('Set aside').waitFor();
      await page.getByRole('link', { name: 'Overview' }).click();
      await balance(page, '1,134.25');
      await page.getByText('and 100.25 set aside for payments').waitFor();

      const wallet = ledgerUserWallet(network);
      const renewal = await wallet.request(requestId);
      const { allocations } = await wallet.expectOk('/allocations');
      const [{ contract }] = allocations;
      const cids = { renewal: renewal.contract_id, allocation: contract.contract_id, license };
      expect((await completeRenewal(network, cids)).status).toBe(200);
      const { validator } = network.localnet.urls.participants['app-provider'];
      const provider = new WalletClient(network, validator, PROVIDER_ADMIN);
      expect((await provider.balance()).free).toBe('100.2500000000');
      await page.getByRole('link', { name: 'Payments' }).click();
      await page.getByText('Nobody asks you for a payment.').waitFor();
      await page.getByText('Nothing is set aside.').waitFor();

      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('button', { name: 'Log In with OAuth2' }).waitFor();
    }));

  test('everything works by keyboard, and nothing is done without being sure', () =>
    opened('/allocations', async (page) => {
      await ledgerUserWallet(network).tap('30');
      const license = await newUserLicense(network);
      await askForRenewal(network, license, { amount: '20', description: 'First' });
      await askForRenewal(network, license, { amount: '5', description: 'Second' });
      await page.getByRole('button', { name: 'Log In with OAuth2' }).press('Enter');
      await page.locator('[name=username]').waitFor();
      await page.getByLabel('Username').pressSequentially('app-user');
      await page.getByLabel('Password').pressSequentially('abc123');
      await page.keyboard.press('Enter');
      // After the login, the page that was open before is shown again.
      await page.waitForURL('**/allocations');
      const second = request(page, 'Second');

      await second.getByRole('button', { name: 'Reject' }).press('Enter');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await second.getByRole('button', { name: 'Reject' }).press('Enter');
      await page.locator('[value=no]:focus').waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await told(page, 'Request rejected');
      await second.waitFor({ state: 'detached' });

      await request(page, 'First').getByRole('button', { name: 'Accept' }).press('Space');
      const allocation = page.locator('#allocations > li').filter({ hasText: 'First' });
      await allocation.getByRole('button', { name: 'Withdraw' }).press('Enter');
      await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).press('Enter');
      await told(page, 'Allocation withdrawn');
      await allocation.waitFor({ state: 'detached' });
      await request(page, 'First').getByText('Waiting for you').waitFor();
      expect((await ledgerUserWallet(network).balance()).locked).toBe('0.0000000000');
    }));

  test('what is too late is flagged and cannot be accepted; what cannot be paid is told in plain words, and not sent', () =>
    opened(
      '/allocations',
      async (page) => {
        const license = await newUserLicense(network);
        await askForRenewal(network, license, {
          amount: '1',
          description: 'Late',
          allocateWithinMs: 500,
        });
        await askForRenewal(network, license, { amount: '99999', description: 'Dear' });
        await signIn(page);
        await request(page, 'Late').getByText('Expired').waitFor();
        expect(await request(page, 'Late').getByRole('button', { name: 'Accept' }).count()).toBe(0);
        await request(page, 'Dear').getByRole('button', { name: 'Accept' }).click();
        await told(page, /This payment is 99,999 Amulet, and you have/);
        await page.getByRole('button', { name: 'Dismiss' }).click();
        await page.locator('.toast').waitFor({ state: 'detached' });
      },
      { host: 'localhost', colorScheme: 'dark' },
    ));

  test('an amount that is none is not sent', () =>
    opened('/', async (page) => {
      await signIn(page);
      let posts = 0;
      page.on('request', (sent) => (posts += sent.method() === 'POST' ? 1 : 0));
      for (const amount of ['0', '-1', 'ten', '1.00000000001', '']) {
        await page.getByLabel('Amount').fill(amount);
        await page.keyboard.press('Enter');
        await page.getByText('A number above 0').waitFor();
        await page.locator('#tap-amount[aria-invalid=true]:focus').waitFor();
        await page.getByLabel('Amount').fill('1');
      }
      expect(posts).toBe(0);
    }));

  test('who has no wallet yet makes one', () =>
    opened('/', async (page) => {
      await signIn(page, 'adrian');
      await page.getByRole('button', { name: 'Create my wallet' }).click();
      await balance(page, '0');
      await page.getByText('Nothing yet. The faucet above is free.').waitFor();
      expect(await page.locator('#party').inputValue()).toMatch(/::1220[0-9a-f]{64}$/);
    }));

  test('a narrow window shows all of it, without scrolling sideways', () =>
    opened(
      '/',
      async (page) => {
        await ledgerUserWallet(network).tap('123456789.0123456789');
        const license = await newUserLicense(network);
        await askForRenewal(network, license, { amount: '1', description: 'x'.repeat(500) });
        await signIn(page);
        const widths = () => page.evaluate<number>('document.documentElement.scrollWidth');
        await page.locator('#holdings tr').first().waitFor();
        expect(await widths()).toBe(360);
        await page.getByRole('link', { name: 'Payments' }).click();
        await page.locator('#requests > li').first().waitFor();
        expect(await widths()).toBe(360);
      },
      { host: '127.0.0.1', viewport: { width: 360, height: 740 } },
    ));

  test('a tab that an application opens is signed in; signing out in one signs out all', () =>
    opened('/', async (page) => {
      await signIn(page);
      const popup = await page.context().newPage();
      popup.setDefaultTimeout(PATIENCE_MS);
      await popup.goto(`${originOf('wallet.localhost')}//allocations`);
      await popup.getByText('Allocation requests').waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await popup.getByText('You have signed out.').waitFor();
      expect(await popup.evaluate<unknown>(`localStorage.getItem('wallet.tokens')`)).toBeNull();
    }));

  test('what the participant does not accept any more is said, and leads to a new sign-in', () =>
    opened('/', async (page) => {
      await signIn(page);
      await page.evaluate(`(() => {
        const tokens = JSON.parse(localStorage.getItem('wallet.tokens'));
        localStorage.setItem('wallet.tokens', JSON.stringify({ ...tokens, access_token: 'x.y.z' }));
      })()`);
      await page.reload();
      await page.getByText('The wallet does not accept this sign-in any more.').waitFor();
      expect(await page.getByRole('button', { name: 'Log In with OAuth2' }).isVisible()).toBe(true);
    }));

  test('an answer to a login that was not begun here is not taken', () =>
    opened('/?code=stolen&state=unknown', async (page) => {
      await told(page, 'This sign-in was not begun here');
      await page.getByRole('button', { name: 'Log In with OAuth2' }).waitFor();
      expect(new URL(page.url()).search).toBe('');
    }));

  test('an expired token is renewed unseen; without that, the person is asked to sign in again', () =>
    opened('/', async (page) => {
      await signIn(page);
      const expire = (fields: string) =>
        page.evaluate(`(() => {
          const tokens = JSON.parse(localStorage.getItem('wallet.tokens'));
          localStorage.setItem('wallet.tokens', JSON.stringify({ ...tokens, ${fields} }));
        })()`);
      const before = await page.evaluate<string>(`localStorage.getItem('wallet.tokens')`);
      await expire('expiresAtMs: 0');
      await page.reload();
      await page.getByText('app user').waitFor();
      expect(await page.evaluate<string>(`localStorage.getItem('wallet.tokens')`)).not.toBe(before);
      await expire("expiresAtMs: 0, refresh_token: 'no more'");
      await page.reload();
      await page.getByRole('button', { name: 'Log In with OAuth2' }).waitFor();
    }));
});

describe.skipIf(!hasChromium)('the wallet page in mode shared-secret', () => {
  test('asks for a name, and pays', async () => {
    await using network = await openNetwork({ auth: 'shared-secret' });
    await using browser = disposable(await launchChromium());
    const page = await browser.value.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(`http://wallet.localhost:${new URL(network.localnet.urls.wallet).port}/`);
    expect(await page.getByRole('button', { name: 'Log In with OAuth2' }).count()).toBe(0);
    await page.locator('#user-id-field').fill('app user');
    await page.locator('#login-button').click();
    await page.locator('.toast').getByText('without a space').waitFor();
    await page.locator('#user-id-field').fill('app-user');
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Amount' }).fill('12');
    await page.getByRole('button', { name: 'Tap' }).click();
    await page.locator('.tx-row-balance_change').getByText('+12').waitFor();
    expect(await page.locator('#logged-in-user').getByRole('textbox').inputValue()).toBe(
      network.localnet.parties.appUser,
    );
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.locator('#login-button').waitFor();
  });
});

const disposable = (browser: Browser) => ({
  value: browser,
  [Symbol.asyncDispose]: () => browser.close(),
});
