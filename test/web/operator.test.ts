import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../kit/chromium.ts';
import { forFile } from '../kit/for-file.ts';
import { startWebWorld } from './kit/people.ts';

/*
 * The journey of an operator: the page of what needs attention leads to a failed operation, which the operator retries
 * with a reason.
 */

const REFUSED = 'DAML_FAILURE';

describe.skipIf(!hasChromium)('an operator', async () => {
  const web = hasChromium ? await forFile(startWebWorld()) : null;

  test('finds what the ledger has refused, has it done again, and is in the audit log', async () => {
    const { world } = web!;
    const fault = await fetch(`${world.tenure.state.localnet!.networkUrl}/control/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        kind: 'error',
        code: REFUSED,
        times: 1,
        where: { commandId: 'refused-once' },
      }),
    });
    expect([fault.status, await fault.text()]).toEqual([201, expect.any(String)]);
    const url = '/app-install-requests?commandId=refused-once';
    const refused = await world.call('user', 'POST', url, { body: {} });
    expect([refused.status, refused.body.ledgerCode]).toEqual([409, REFUSED]);

    await using person = await web!.person('operator');
    const page = await person.open('/attention');
    await page.getByRole('main').getByText(REFUSED).first().waitFor();
    await person.open('/operations?state=rejected');
    await page.getByRole('main').getByRole('row').nth(1).getByRole('link').first().click();
    await page.waitForURL(/\/ui\/operations\/[0-9a-f-]{36}$/u);
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Retry', exact: true }).click();
    await dialog.getByText('Give a reason. The audit log keeps the reason.').waitFor();
    await dialog.getByLabel('Reason').fill('the ledger was upgraded');
    await dialog.getByRole('button', { name: 'Retry', exact: true }).click();

    // Waits until the retry has ended.
    await page.getByRole('main').getByText('Succeeded', { exact: true }).first().waitFor();
    const requests = await world.call('user', 'GET', '/app-install-requests');
    expect(requests.body.length).toBe(1);
    await person.open('/audit');
    const entry = page.getByRole('main').getByRole('row').filter({ hasText: 'Retried' });
    await entry.getByText('the ledger was upgraded').waitFor();
    await entry.getByText('operator', { exact: true }).waitFor();
    expect(person.findings).toEqual([]);
  });

  test('sees of which tenant no participant hosts the party', async () => {
    const { world } = web!;
    const tenant = { tenantId: 'Lost', partyId: 'party-123456', clientId: 'lost' };
    const issuerUrl = 'http://keycloak.localhost:8082/realms/AppUser';
    const body = { ...tenant, walletUrl: 'http://wallet.localhost:2000', issuerUrl };
    const registered = await world.call('provider', 'POST', '/admin/tenant-registrations', {
      body,
    });
    expect([registered.status, registered.body.partyId]).toEqual([201, tenant.partyId]);
    await using person = await web!.person('operator');
    const page = await person.open('/tenants');
    const cards = page.getByRole('main').getByRole('article');
    await cards.filter({ hasText: tenant.partyId }).getByText('Not hosted').waitFor();
    expect(await cards.getByText('Not hosted').count()).toBe(1);
    expect(person.findings).toEqual([]);
  });

  test('reads what a policy ends before it is saved, confirms the number, and takes it back', async () => {
    const { world } = web!;
    const post = async (who: 'user' | 'provider', url: string, body: object) => {
      const done = await world.call(who, 'POST', `${url}?commandId=${randomUUID()}`, { body });
      expect(done.status, JSON.stringify(done.body)).toBe(201);
      return done.body;
    };
    const asked = await post('user', '/app-install-requests', { meta: {} });
    const path = `/app-install-requests/${asked.contractId}:accept`;
    const { contractId } = await post('provider', path, { installMeta: {}, meta: {} });
    await post('provider', `/app-installs/${contractId}:create-license`, { params: { meta: {} } });

    await using person = await web!.person('provider');
    const page = await person.open('/policies');
    const expiry = page.getByRole('region', { name: 'Expiry', exact: true });
    const save = () => expiry.getByRole('button', { name: 'Save', exact: true }).click();
    await expiry.getByLabel('Mode').selectOption('on');
    await expiry.getByText('Ends no licences of today').waitFor();
    await expiry.getByLabel('Also end licences that were never renewed').check();
    await expiry.getByText('Ends 1 licence, the first at').waitFor();
    await save();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/№ 1 of AppUser, never renewed/u).waitFor();
    const end = () => dialog.getByRole('button', { name: 'End 1', exact: true }).click();
    await end();
    await dialog.getByText('Include these licences here, or exclude them in the policy.').waitFor();
    await dialog.getByText('The preview counted 1.').waitFor();
    await dialog.getByLabel('End the 1 that were never renewed, too').check();
    await dialog.getByLabel('Number of licences that end').fill('1');
    await dialog.getByLabel('Reason').fill('they are over');
    await end();
    await expiry.getByText('This policy is not in effect yet.').waitFor();
    await expiry.getByText(/\d left before the first licence ends/u).waitFor();
    await expiry.getByRole('button', { name: 'Undo', exact: true }).click();
    await dialog.getByLabel('Reason').fill('not those');
    await dialog.getByRole('button', { name: 'Undo', exact: true }).click();
    await expiry.getByText('This policy is not in effect yet.').waitFor({ state: 'detached' });
    expect((await world.call('provider', 'GET', '/policies/expiry')).body.mode).toBe('off');
    expect((await world.call('user', 'GET', '/licenses')).body).toHaveLength(1);
    expect(person.findings).toEqual([]);
  });
});
