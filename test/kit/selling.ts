import { expect } from 'vitest';
import type { RenewalsWorld } from './http-renewals.ts';

/* Sales and renewals under plans, over the API. */

const PLAN = {
  name: 'Pro',
  period: 'P1M',
  fee: '12.50',
  prepareUntilDuration: 'PT10M',
  settleBeforeDuration: 'PT20M',
  seats: 5,
  entitlements: { projects: '10' },
};

export function sellingIn(world: RenewalsWorld) {
  let plans = 0;
  return {
    PLAN,
    async newPlan(over: object = {}): Promise<string> {
      plans += 1;
      const made = await world.provider.post('/plans', { ...PLAN, id: `plan-${plans}`, ...over });
      expect(made.statusCode).toBe(201);
      return made.json().id as string;
    },
    async sell(planId: string, commandId = world.command(), params: object = {}) {
      const [install] = (await world.provider.get('/app-installs')).json();
      const path = `/app-installs/${install.lifecycleId}:create-license?commandId=${commandId}`;
      return world.provider.post(path, { params, planId });
    },
    /** Requests a renewal and pays it. @returns the renewal afterwards */
    async renewAndPay(license: string, body: object) {
      const url = `/licenses/${license}:renew?commandId=${world.command()}`;
      const asked = await world.provider.post(url, body);
      expect([asked.statusCode, asked.body]).toEqual([201, '']);
      const renewal = await world.renewalOf(license);
      const allocation = await world.allocate(renewal.contractId);
      const done = await world.complete(license, renewal.contractId, allocation);
      expect(done.statusCode).toBe(200);
      return (await world.provider.get(`/license-renewal-requests/${renewal.contractId}`)).json();
    },
  };
}
