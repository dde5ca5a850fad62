/** The names by which TENURE_EXCEPTIONS can permit what the production gate refuses. */
export const EXCEPTIONS = [
  'localnet',
  'demo-credentials',
  'default-issuers',
  'issuers-without-tls',
  'registry-without-tls',
  'ledger-without-tls',
  'database-without-tls',
  'redis-without-tls',
  'traces-without-tls',
  'limits-off',
  'secrets-in-clear',
  'wide-ranges',
  'schema-owner',
  'public-development',
] as const;
export type Exception = (typeof EXCEPTIONS)[number];
