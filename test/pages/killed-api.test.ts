import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../kit/chromium.ts';
import { forFile } from '../kit/for-file.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import {
  HELD,
  askInstall,
  control,
  isDone,
  isRecorded,
  onLedger,
  watchTries,
} from '../web/kit/acts.ts';
import { openApiDoor } from '../web/kit/api-door.ts';
import { settled, startWebWorld } from '../web/kit/people.ts';

/*
 * The API is killed during an act, and started again with the same port and data. The act takes effect once, and the
 * browser shows for what it waits.
 */

describe.skipIf(!hasChromium)('an API that is killed', async () => {
  const web = hasChromium ? await forFile(startWebWorld()) : null;
  const door = web === null ? null : await forFile(openApiDoor(web.world));
  /**
   * Loses the next answer that begins with `HTTP/1.1 201`, and then every further request until the proxy is opened
   * again.
   */
  const loseAnswer = async (): Promise<void> => {
    await door!.front.cutAt('before-answer', 'HTTP/1.1 201');
    // The browser itself repeats a request if its connection was used before. So connections are refused.
    door!.front.refuse();
  };

  test('before it has answered: the act is sent again, and takes effect once', async () => {
    const { world } = web!;
    await using person = await web!.person('user', { origin: door!.origin });
    const before = await onLedger(world);
    const tries = watchTries(person.context);
    const page = await person.open('/requests');
    await control(world, 'POST', 'faults', HELD);
    await askInstall(page);
    await expect.poll(() => isRecorded(world, tries[0]?.commandId ?? '')).toBe(true);
    await door!.kill();
    await page.getByRole('dialog').getByText('No connection to the server.').waitFor();
    await page.getByText('Not live: reconnecting').waitFor();
    await door!.start();
    await page.getByRole('dialog').getByText('Sent to the ledger').waitFor();
    await control(world, 'DELETE', 'faults');
    await isDone(page);
    await page.getByText('Live', { exact: true }).waitFor();
    expect(tries.length).toBeGreaterThan(1);
    expect(new Set(tries.map((one) => one.commandId)).size).toBe(1);
    expect(await onLedger(world)).toBe(before + 1);
  });

  test('while it follows an act: the act is followed again, and not sent again', async () => {
    const { world } = web!;
    await using person = await web!.person('user', { origin: door!.origin });
    const before = await onLedger(world);
    const tries = watchTries(person.context);
    const page = await person.open('/requests');
    await control(world, 'POST', 'faults', HELD);
    await askInstall(page);
    await page.getByRole('dialog').getByText('Sent to the ledger').waitFor();
    await door!.kill();
    await page.getByText('Not live: reconnecting').waitFor();
    // The act takes effect at a time when the browser cannot reach the API.
    await control(world, 'DELETE', 'faults');
    await expect.poll(() => onLedger(world)).toBe(before + 1);
    await door!.start();
    await isDone(page);
    expect(tries.map(({ status }) => status)).toEqual([202]);
    expect(await onLedger(world)).toBe(before + 1);
  });

  test('with the answer of an act that is done: its repetition says that it is done', async () => {
    const { world } = web!;
    await using person = await web!.person('user', { origin: door!.origin });
    const before = await onLedger(world);
    const tries = watchTries(person.context);
    const page = await person.open('/requests');
    const lost = loseAnswer();
    await askInstall(page);
    await lost;
    await page.getByRole('dialog').getByText('No connection to the server.').waitFor();
    door!.front.pass();
    await isDone(page);
    expect([tries[0]?.status, tries.at(-1)?.status]).toEqual([null, 201]);
    expect(new Set(tries.map((one) => one.commandId)).size).toBe(1);
    expect(await onLedger(world)).toBe(before + 1);
  });

  test('with the answer of what cannot be repeated: it is not sent again, and the page shows what is there', async () => {
    await using person = await web!.person('provider', { origin: door!.origin });
    const page = await person.open('/webhooks');
    const made: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') made.push(request.url());
    });
    await page.getByRole('main').getByRole('button', { name: 'Add a webhook' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill('https://127.0.0.1:9/lost');
    const lost = loseAnswer();
    await dialog.locator('button[type=submit]').click();
    await lost;
    await dialog.getByText('Whether the action took effect is not known.').waitFor();
    door!.front.pass();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByText('127.0.0.1:9/lost').count()).toBe(1);
    expect(made.length).toBe(1);
  });

  test('for longer than events are kept: the page reads again what it was not told of', async () => {
    const { world } = web!;
    const ask = () =>
      world.call('user', 'POST', `/app-install-requests?commandId=${randomUUID()}`, { body: {} });
    const sql = (text: string) => queryOnce(world.tenure.state.databaseUrl, text);
    await using person = await web!.person('user', { origin: door!.origin });
    const page = await person.open('/requests');
    await page.getByText('Live', { exact: true }).waitFor();
    const links = page.getByRole('main').getByRole('row').getByRole('link');
    // The page has received one event, so it knows the position from which to continue.
    const first = await ask();
    await page.locator(`main a[href*="${first.body.contractId}"]`).first().waitFor();
    const shown = await links.count();
    await door!.kill();
    await page.getByText('Not live: reconnecting').waitFor();
    const missed = await ask();
    await expect
      .poll(() => sql('select count(*) as left from arrival'))
      .toEqual([expect.objectContaining({ left: 0n })]);
    await sql('delete from event_batch');
    const reads: string[] = [];
    page.on('request', (request) => reads.push(new URL(request.url()).pathname));
    await door!.start();
    await page.locator(`main a[href*="${missed.body.contractId}"]`).first().waitFor();
    expect(await links.count()).toBeGreaterThan(shown);
    expect(reads.indexOf('/events')).toBeLessThan(reads.indexOf('/app-install-requests'));
    expect(reads).toContain('/events');
  });

  test('while a page is read: the page says so, and is there when the server is', async () => {
    await using person = await web!.person('provider', { origin: door!.origin });
    const page = await person.open('/requests');
    await door!.kill();
    const menu = page.getByRole('navigation', { name: 'Pages' });
    await menu.getByRole('link', { name: 'Licences' }).click();
    await page.getByText('The server does not answer').waitFor();
    // Opens a part of the web application that the browser has not loaded yet.
    await menu.getByRole('link', { name: 'Policies' }).click();
    await page.getByRole('heading', { name: 'This page failed' }).waitFor();
    await door!.start();
    await page.getByRole('button', { name: 'Load again' }).click();
    await settled(page);
    expect(await page.locator('h1').textContent()).toBe('Policies');
    await menu.getByRole('link', { name: 'Licences' }).click();
    await settled(page);
    expect(await page.getByRole('main').getByRole('alert').count()).toBe(0);
  });
});
