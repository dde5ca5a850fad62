import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../kit/chromium.ts';
import { AUTH_LIMITS } from '../../src/auth/limits.ts';
import { forFile } from '../kit/for-file.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import { settled, startWebWorld } from '../web/kit/people.ts';

/*
 * A person's act during a reload, a lost connection, a ledger that does not answer, and the end of the session, and in
 * several tabs. The act must never be performed twice.
 */

/** A fault that holds submissions back until it is removed. */
const HELD = { kind: 'hold', where: { method: 'Submit' } } as const;

describe.skipIf(!hasChromium)('an act', async () => {
  const web = hasChromium ? await forFile(startWebWorld()) : null;
  const control = async (method: string, path: string, body?: object): Promise<void> => {
    const answer = await fetch(`${web!.world.tenure.state.localnet!.networkUrl}/control/${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    expect(answer.status).toBeLessThan(300);
  };
  const requests = async (): Promise<number> =>
    (await web!.world.call('user', 'GET', '/app-install-requests')).body.length;

  /** Opens the dialog, and confirms it. */
  async function ask(page: Page): Promise<void> {
    await page.getByRole('main').getByRole('button', { name: 'Request an installation' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Ask', exact: true }).click();
  }
  const done = (page: Page): Promise<void> =>
    page.getByText('Done', { exact: true }).first().waitFor();

  test('that is sent without a connection goes on when there is one, once', async () => {
    await using person = await web!.person('user');
    const before = await requests();
    const page = await person.open('/requests');
    await person.context.setOffline(true);
    await ask(page);
    await page
      .getByText(/No connection to the server/u)
      .first()
      .waitFor();
    await person.context.setOffline(false);
    await done(page);
    expect(await requests()).toBe(before + 1);
  });

  test('that waits for the ledger is shown after a reload, and in another tab, and done once', async () => {
    await using person = await web!.person('user');
    const before = await requests();
    const page = await person.open('/requests');
    await control('POST', 'faults', HELD);
    await ask(page);
    await page.getByText('Sent to the ledger').waitFor();
    await page.reload();
    await settled(page);
    const second = await person.context.newPage();
    await second.goto(`${web!.origin}/ui/installs`);
    await settled(second);
    const dock = second.getByRole('list', { name: 'Your operations' });
    await dock.getByText('Sent', { exact: true }).waitFor();
    await control('DELETE', 'faults');
    await dock.getByText('Done', { exact: true }).waitFor();
    expect(await requests()).toBe(before + 1);
  });

  test('whose session has ended goes on after the next sign-in, on the same page', async () => {
    await using person = await web!.person('user');
    const before = await requests();
    const page = await person.open('/requests');
    await page.getByRole('main').getByRole('button', { name: 'Request an installation' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Ask', exact: true }).waitFor();
    await person.context.clearCookies({ name: 'JSESSIONID' });
    await page.getByRole('dialog').getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByRole('heading', { name: 'Your session ended' }).waitFor();
    await page
      .getByRole('dialog')
      .getByRole('link', { name: /AppUser/u })
      .click();
    // The person still has a session at the authorization server.
    await page.waitForURL(/\/ui\/requests/u);
    await settled(page);
    await page
      .getByRole('list', { name: 'Your operations' })
      .getByText('Done', { exact: true })
      .waitFor();
    expect(await requests()).toBe(before + 1);
  });

  test('is not lost to a session that ends: its end is told before, once, and when it has come', async () => {
    await using person = await web!.person('user');
    const { databaseUrl } = web!.world.tenure.state;
    /** Makes all sessions older, so that they end in this number of seconds. */
    const endsIn = (seconds: number) =>
      queryOnce(
        databaseUrl,
        `update session set created_at = now() - interval '${AUTH_LIMITS.sessionAgeMsMax / 1_000 - seconds} s'`,
      );
    await endsIn(110);
    const page = await person.open('/requests');
    const soon = page.getByRole('heading', { name: 'Your session is about to end' });
    await soon.waitFor();
    await page.getByText('it reaches its maximum duration').waitFor();
    await page
      .getByRole('dialog')
      .getByRole('link', { name: /AppUser/u })
      .waitFor();
    await page.getByRole('button', { name: 'Not yet' }).click();
    await soon.waitFor({ state: 'detached' });
    // After the person has closed the message, it stays closed, and the operation continues.
    const before = await requests();
    await ask(page);
    await done(page);
    await page.keyboard.press('Escape');
    expect([await soon.count(), await requests()]).toEqual([0, before + 1]);
    await endsIn(0);
    // The click is sent to the link itself, because a message may cover the link: a read of the page may have opened it
    // before.
    await page
      .getByRole('navigation')
      .getByRole('link', { name: 'Licences' })
      .dispatchEvent('click');
    await page.getByRole('heading', { name: 'Your session ended' }).waitFor();
    expect(await soon.count()).toBe(0);
  });

  test('that was kept for longer than it may be repeated is looked for, and never sent again', async () => {
    await using person = await web!.person('user');
    const before = await requests();
    const page = await person.open('/requests');
    const { party } = (await web!.world.call('user', 'GET', '/user')).body;
    const kept = {
      commandId: 'kept-too-long',
      party,
      label: 'Request an installation',
      method: 'POST',
      url: '/app-install-requests',
      body: {},
      madeAtMs: Date.now() - 25 * 3_600_000,
      state: 'sending',
      waiting: null,
      result: null,
      problem: null,
      endedAtMs: null,
    };
    const text = JSON.stringify(JSON.stringify([kept]));
    await page.evaluate<void>(`localStorage.setItem('tenure.commands', ${text})`);
    await page.reload();
    const dock = page.getByRole('list', { name: 'Your operations' });
    await dock.getByText('Failed', { exact: true }).waitFor();
    expect(await requests()).toBe(before);
  });

  test('of somebody else is seen in eight tabs, by one stream', async () => {
    await using person = await web!.person('user');
    const streams: Page[] = [];
    person.context.on('request', (request) => {
      if (new URL(request.url()).pathname === '/events') streams.push(request.frame().page());
    });
    await person.page.close();
    const tabs = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const tab = await person.context.newPage();
        await tab.goto(`${web!.origin}/ui/requests`);
        await settled(tab);
        return tab;
      }),
    );
    await tabs[0]!.getByText('Live', { exact: true }).waitFor();
    const rows = await tabs[0]!.getByRole('main').getByRole('row').count();
    const answer = await web!.world.call('user', 'POST', '/app-install-requests?commandId=eight', {
      body: {},
    });
    expect(answer.status).toBe(201);
    for (const tab of tabs) {
      await expect
        .poll(() => tab.getByRole('main').getByRole('row').count())
        .toBe(rows === 0 ? 2 : rows + 1);
    }
    expect(streams.length).toBe(1);
    // When the tab that has the stream is closed, another tab opens the stream.
    await streams[0]!.close();
    await expect.poll(() => streams.length).toBe(2);
    await streams[1]!.getByText('Live', { exact: true }).waitFor();
  });

  test('is asked for, and sent, by the keyboard alone', async () => {
    await using person = await web!.person('user');
    const before = await requests();
    const page = await person.open('/licenses');
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.waitForURL(/\/ui\/requests$/u);
    await settled(page);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Ask', exact: true }).focus();
    await page.keyboard.press('Enter');
    await done(page);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await requests()).toBe(before + 1);
  });
});

describe.skipIf(!hasChromium)('a refusal', async () => {
  const web = hasChromium ? await forFile(startWebWorld()) : null;

  test('of a page that is another role’s is told with its code', async () => {
    await using person = await web!.person('provider');
    await person.page.goto(`${web!.origin}/ui/audit`);
    await person.page
      .getByRole('main')
      .getByText(/FORBIDDEN|operator/u)
      .first()
      .waitFor();
    expect(person.findings).toEqual([]);
  });

  test('of what is not there is told, and leads back', async () => {
    await using person = await web!.person('user');
    const page = await person.open(`/licenses/00${'ab'.repeat(40)}`);
    await page.getByText('Not found.').waitFor();
    await page.getByRole('link', { name: 'To the list' }).click();
    await page.waitForURL(/\/ui\/licenses$/u);
    expect(person.findings).toEqual([]);
  });
});
