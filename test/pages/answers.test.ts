import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../kit/chromium.ts';
import { forFile } from '../kit/for-file.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import type { Try } from '../web/kit/acts.ts';
import { HELD, askInstall, control, isDone, onLedger, watchTries } from '../web/kit/acts.ts';
import { openApiDoor } from '../web/kit/api-door.ts';
import { settled, signIn, startWebWorld } from '../web/kit/people.ts';

/*
 * Every answer to an act that is not a success: 202, 409, 412, 422, 429, 500, 503, and the refusal of a token that
 * another tab has replaced. Each is provoked, and the page must show it. If an act can be repeated, it is repeated with
 * the same command ID, and takes effect once.
 */

const statuses = (tries: readonly Try[]) => tries.map(({ status }) => status);
const commandsOf = (tries: readonly Try[]) => new Set(tries.map(({ commandId }) => commandId));

describe.skipIf(!hasChromium)('an act that is answered with', async () => {
  const web = hasChromium ? await forFile(startWebWorld({ TENURE_LOG_LEVEL: 'silent' })) : null;
  const sql = (text: string) => queryOnce(web!.world.tenure.state.databaseUrl, text);
  const dialogOf = (page: Page) => page.getByRole('dialog');

  /** Creates a request of the user that waits for the provider's decision. @returns its contract ID */
  async function request(): Promise<string> {
    const path = `/app-install-requests?commandId=${randomUUID()}`;
    const answer = await web!.world.call('user', 'POST', path, { body: {} });
    expect(answer.status).toBe(201);
    return answer.body.contractId as string;
  }

  test('202 is kept open, and shown until its end', async () => {
    const { world } = web!;
    await using person = await web!.person('user');
    const before = await onLedger(world);
    const tries = watchTries(person.context);
    const page = await person.open('/requests');
    await control(world, 'POST', 'faults', HELD);
    await askInstall(page);
    await dialogOf(page).getByText('Sent to the ledger').waitFor();
    expect([statuses(tries), await onLedger(world)]).toEqual([[202], before]);
    await control(world, 'DELETE', 'faults');
    await dialogOf(page).getByText('Done', { exact: true }).waitFor();
    expect([statuses(tries), await onLedger(world)]).toEqual([[202], before + 1]);
    expect(person.findings).toEqual([]);
  });

  test('409 ends with its code, and what another person has done is shown', async () => {
    const contractId = await request();
    await using person = await web!.person('provider');
    const tries = watchTries(person.context);
    const page = await person.open(`/requests/${contractId}`);
    await page.getByRole('main').getByRole('button', { name: 'Accept', exact: true }).click();
    const path = `/app-install-requests/${contractId}:cancel?commandId=${randomUUID()}`;
    const other = await web!.world.call('user', 'POST', path, { body: { meta: {} } });
    expect(other.status, JSON.stringify(other.body)).toBeLessThan(300);
    await dialogOf(page).getByRole('button', { name: 'Accept', exact: true }).click();
    await dialogOf(page).getByRole('link', { name: 'LIFECYCLE_ENDED' }).waitFor();
    expect(statuses(tries)).toEqual([409]);
    await page.keyboard.press('Escape');
    await page.getByRole('main').getByText('Withdrawn').first().waitFor();
    expect(person.findings).toEqual([]);
  });

  test('412 shows what another person has saved, and whose values are to count', async () => {
    await using person = await web!.person('provider');
    const page = await person.open('/policies');
    const expiry = page.getByRole('region', { name: 'Expiry', exact: true });
    await expiry.getByLabel('Maximum simultaneous expiries').fill('7');
    // The page also gets events about acts of others. Here, it may see this act only when its own request has ended.
    const asked = Promise.withResolvers<void>();
    await page.route('**/policies/expiry', async (route) => {
      if (route.request().method() === 'GET') await asked.promise;
      await route.continue();
    });
    const saved = (await web!.world.call('provider', 'GET', '/policies/expiry')).body;
    const others = { ...saved, maxInFlight: 9 };
    const put = await web!.world.call('provider', 'PUT', '/policies/expiry', { body: others });
    expect(put.status).toBe(200);
    const refused = page.waitForResponse((one) => one.request().method() === 'PUT');
    await expiry.getByRole('button', { name: 'Save', exact: true }).click();
    expect((await refused).status()).toBe(412);
    asked.resolve();
    await expiry.getByText('Another person has saved this policy in the meantime.').waitFor();
    await expiry.getByText('saved: 9').waitFor();
    await expiry.getByText('yours: 7').waitFor();
    await expiry.getByRole('button', { name: 'Keep mine, and overwrite the saved values' }).click();
    await expiry.getByRole('button', { name: 'Save', exact: true }).click();
    await expiry.getByText('Saved.').waitFor();
    const { body } = await web!.world.call('provider', 'GET', '/policies/expiry');
    expect(body.maxInFlight).toBe(7);
    expect(person.findings).toEqual([]);
  });

  test('what another person saves meanwhile is shown before one’s own is sent', async () => {
    await using person = await web!.person('provider');
    const page = await person.open('/policies');
    const expiry = page.getByRole('region', { name: 'Expiry', exact: true });
    await expiry.getByLabel('Maximum simultaneous expiries').fill('11');
    const saved = (await web!.world.call('provider', 'GET', '/policies/expiry')).body;
    const others = { ...saved, maxInFlight: 12 };
    const put = await web!.world.call('provider', 'PUT', '/policies/expiry', { body: others });
    expect(put.status).toBe(200);
    await expiry.getByText('Another person has saved this policy in the meantime.').waitFor();
    await expiry.getByText('saved: 12').waitFor();
    await expiry.getByText('yours: 11').waitFor();
    expect(person.findings).toEqual([]);
  });

  test('422 of the ledger ends with its code and the ledger’s, and may be asked anew', async () => {
    const { world } = web!;
    await using person = await web!.person('user');
    const before = await onLedger(world);
    const tries = watchTries(person.context);
    const page = await person.open('/requests');
    await control(world, 'POST', 'faults', {
      kind: 'error',
      code: 'INVALID_ARGUMENT',
      times: 1,
      where: { method: 'Submit' },
    });
    await askInstall(page);
    await dialogOf(page).getByRole('link', { name: 'COMMAND_INVALID' }).waitFor();
    await dialogOf(page).getByText('INVALID_ARGUMENT', { exact: true }).waitFor();
    await dialogOf(page).getByRole('button', { name: 'Change and try again' }).click();
    await dialogOf(page).getByRole('button', { name: 'Ask', exact: true }).click();
    await isDone(page);
    expect([statuses(tries), commandsOf(tries).size]).toEqual([[422, 201], 2]);
    expect(await onLedger(world)).toBe(before + 1);
  });

  test('422 of a form is told at its field', async () => {
    await using person = await web!.person('provider');
    const page = await person.open('/webhooks');
    await page.getByRole('main').getByRole('button', { name: 'Add a webhook' }).click();
    await dialogOf(page).getByLabel('Address').fill('https://10.1.2.3/hook');
    await dialogOf(page).getByRole('button', { name: 'Add', exact: true }).click();
    await dialogOf(page).getByText('nothing may be sent there').waitFor();
    expect(await dialogOf(page).getByLabel('Address').getAttribute('aria-invalid')).toBe('true');
    expect(person.findings).toEqual([]);
  });

  test('500 is repeated under its command ID, and takes effect once', async () => {
    const { world } = web!;
    await using person = await web!.person('user');
    const before = await onLedger(world);
    const tries = watchTries(person.context);
    const page = await person.open('/requests');
    await sql(`
      create function fail_here() returns trigger language plpgsql as $$ begin raise 'a mistake'; end $$;
      create trigger fail_here before insert on change for each row
        when (new.command_id like 'ui-%') execute function fail_here()`);
    await askInstall(page);
    await dialogOf(page).getByText('The server failed. The command is sent again.').waitFor();
    await expect.poll(() => tries.length).toBeGreaterThan(1);
    await sql('drop function fail_here() cascade');
    await isDone(page);
    expect([tries[0]?.status, tries.at(-1)?.status]).toEqual([500, 201]);
    expect([commandsOf(tries).size, await onLedger(world)]).toEqual([1, before + 1]);
  });

  test('403 as another tab has replaced the token is repeated with the one of the session', async () => {
    const { world } = web!;
    await using person = await web!.person('user');
    const before = await onLedger(world);
    const tries = watchTries(person.context);
    const page = await person.open('/requests');
    // The token is replaced while the request is in flight.
    await page.route(
      /commandId=/u,
      (route, request) =>
        route.continue({ headers: { ...request.headers(), 'x-xsrf-token': 'the one before' } }),
      { times: 1 },
    );
    await askInstall(page);
    await isDone(page);
    expect([statuses(tries), commandsOf(tries).size]).toEqual([[403, 201], 1]);
    expect(await onLedger(world)).toBe(before + 1);
    // The token is replaced before the request. So the page checks whose session it is, and gets the token of this
    // session.
    await page.keyboard.press('Escape');
    const replaced = { name: 'XSRF-TOKEN', value: 'another', url: `${web!.origin}/` };
    await person.context.addCookies([replaced]);
    await askInstall(page);
    await expect.poll(() => statuses(tries)).toEqual([403, 201, 201]);
    expect(await onLedger(world)).toBe(before + 2);
    expect(person.findings).toEqual([]);
  });

  test('another person’s session, of another tab, is not sent: the page becomes theirs', async () => {
    const { world } = web!;
    await using person = await web!.person('user');
    const before = await onLedger(world);
    const tries = watchTries(person.context);
    const page = await person.open('/requests');
    await page.getByRole('main').getByRole('button', { name: 'Request an installation' }).click();
    await signIn(await person.context.newPage(), web!.origin, 'provider');
    // A tab in the background may not draw, and a click waits for the next frame.
    await page.bringToFront();
    await page.getByRole('dialog').getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByRole('link', { name: 'Policies' }).waitFor();
    await settled(page);
    expect([statuses(tries), await onLedger(world)]).toEqual([[], before]);
  });

  test('503 as the database is read-only is repeated until it is written, once', async () => {
    const { world } = web!;
    await using door = await openApiDoor(world);
    await using person = await web!.person('user', { origin: door.origin });
    const before = await onLedger(world);
    const tries = watchTries(person.context);
    const page = await person.open('/requests');
    const name = new URL(world.tenure.state.databaseUrl).pathname.slice(1);
    const others = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = '${name}' and pid <> pg_backend_pid()`;
    await sql(`alter database "${name}" set default_transaction_read_only = on; ${others}`);
    await askInstall(page);
    await dialogOf(page).getByText('The server is not available.').waitFor();
    await expect.poll(() => tries.length).toBeGreaterThan(1);
    await sql(
      `set transaction read write;
      alter database "${name}" reset default_transaction_read_only; ${others}`,
    );
    await isDone(page);
    expect([tries[0]?.status, tries.at(-1)?.status]).toEqual([503, 201]);
    expect([commandsOf(tries).size, await onLedger(world)]).toEqual([1, before + 1]);
  });
});
