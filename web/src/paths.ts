/**
 * All addresses of the application, below its base `/ui`. No other module contains an address; a test compares the list
 * with the API's paths and the route tree.
 */
export const PATHS = {
  home: '/',
  login: '/login',
  overview: '/overview',

  licenses: '/licenses',
  license: '/licenses/$contractId',
  receipt: '/licenses/$contractId/receipt',
  installs: '/installs',
  install: '/installs/$contractId',
  requests: '/requests',
  request: '/requests/$contractId',
  renewals: '/renewals',
  renewal: '/renewals/$contractId',
  subscriptions: '/subscriptions',
  operation: '/operation/$commandId',

  customers: '/customers',
  payments: '/payments',
  statistics: '/statistics',
  plans: '/plans',

  policies: '/policies',
  webhooks: '/webhooks',
  webhook: '/webhooks/$id',
  tenants: '/tenants',

  attention: '/attention',
  operations: '/operations',
  opsOperation: '/operations/$id',
  failures: '/failures',
  lifecycles: '/lifecycles',
  timers: '/timers',
  acts: '/acts',
  act: '/acts/$id',
  streams: '/streams',
  costs: '/costs',
  quotas: '/quotas',
  opsSessions: '/sessions',
  audit: '/audit',

  settings: '/settings',

  errors: '/errors',
} as const;

export type Path = (typeof PATHS)[keyof typeof PATHS];

/** The present page, for links that change only its parameters. */
export const HERE = '.';
