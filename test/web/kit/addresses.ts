import { PATHS } from '../../../web/src/paths.ts';
import type { Who } from './people.ts';
import type { Stock } from './stock.ts';

export type Key = keyof typeof PATHS;

/** For each role, the pages that are for it. Other pages refuse the role, and say so. */
export const FOR: Readonly<Record<Who, readonly Key[]>> = {
  user: [
    'overview',
    'licenses',
    'license',
    'receipt',
    'installs',
    'install',
    'requests',
    'request',
    'renewals',
    'renewal',
    'subscriptions',
    'operation',
    'webhooks',
    'settings',
    'errors',
  ],
  provider: [
    'overview',
    'licenses',
    'license',
    'receipt',
    'installs',
    'install',
    'requests',
    'request',
    'renewals',
    'renewal',
    'subscriptions',
    'customers',
    'payments',
    'statistics',
    'plans',
    'policies',
    'webhooks',
    'webhook',
    'tenants',
    'settings',
    'errors',
  ],
  operator: [
    'attention',
    'operations',
    'opsOperation',
    'failures',
    'lifecycles',
    'timers',
    'acts',
    'act',
    'streams',
    'costs',
    'quotas',
    'opsSessions',
    'audit',
    'settings',
  ],
  'user-operator': [
    'attention',
    'operations',
    'opsOperation',
    'failures',
    'lifecycles',
    'quotas',
    'opsSessions',
    'audit',
    'settings',
  ],
};

/** An ID that belongs to nothing. */
const NONE = '00000000-0000-4000-8000-000000000000';

/** Returns the address of a page, with IDs of the stock's objects. */
export const addressOf = (key: Key, stock: Stock): string => {
  const named: Readonly<Partial<Record<Key, string>>> = {
    license: stock.license,
    receipt: stock.license,
    install: stock.install,
    request: stock.request,
    renewal: stock.renewal,
    operation: stock.command,
    opsOperation: stock.operation,
    ...(stock.act === null ? {} : { act: stock.act }),
    webhook: stock.webhook,
  };
  return PATHS[key].replace(/\$\w+/u, named[key] ?? NONE);
};
