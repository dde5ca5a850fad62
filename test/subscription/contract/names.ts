import type { TemplateName } from '../../../src/domain/ledger.ts';
import { numeric } from '../../../src/app/contract/lf.ts';

const template = (entityName: string): TemplateName => ({
  packageName: 'subscriptions',
  moduleName: 'Subscriptions',
  entityName,
});

export const SUBSCRIPTION_REQUEST = template('SubscriptionRequest');
export const SUBSCRIPTION = template('Subscription');
export const INVOICE = template('Invoice');

export const DECIMAL = numeric(10);

/** The answer to a step that has no result. */
export const NO_CONTENT = { status: 204, body: null } as const;
