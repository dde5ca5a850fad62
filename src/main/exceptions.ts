/** Refusals of the production gate that TENURE_EXCEPTIONS may lift, by name. */
export const EXCEPTIONS = [
  'localnet',
  'demo-credentials',
  'default-issuers',
  'issuers-without-tls',
  'registry-without-tls',
  'ledger-without-tls',
  'database-without-tls',
  'redis-without-tls',
  'limits-off',
  'secrets-in-clear',
  'wide-ranges',
  'schema-owner',
  'public-development',
] as const;
export type Exception = (typeof EXCEPTIONS)[number];
