import type { Mutation } from './mutation.ts';
import { ATTEMPTS } from './table/attempts.ts';
import { AUDIT } from './table/audit.ts';
import { BLOCKING } from './table/blocking.ts';
import { CELLS } from './table/cells.ts';
import { DESK } from './table/desk.ts';
import { EAGER } from './table/eager.ts';
import { LANES } from './table/lanes.ts';
import { ORIGINS } from './table/origins.ts';
import { OUTCOMES } from './table/outcomes.ts';
import { PERSONS } from './table/persons.ts';
import { RESTORED } from './table/restored.ts';
import { PROXIES } from './table/proxies.ts';
import { REPEATS } from './table/repeats.ts';
import { SUBSCRIPTIONS } from './table/subscriptions.ts';
import { TENANTS } from './table/tenants.ts';
import { POLICIES } from './table/policies.ts';
import { ROWS } from './table/rows.ts';
import { TOKENS } from './table/tokens.ts';
import { TIME } from './table/time.ts';
import { VERSIONS } from './table/versions.ts';

/** All mutations, in the order in which they are listed. */
export const MUTATIONS: readonly Mutation[] = [
  ...OUTCOMES,
  ...ATTEMPTS,
  ...EAGER,
  ...ROWS,
  ...LANES,
  ...TIME,
  ...ORIGINS,
  ...PERSONS,
  ...POLICIES,
  ...DESK,
  ...VERSIONS,
  ...CELLS,
  ...RESTORED,
  ...PROXIES,
  ...REPEATS,
  ...TENANTS,
  ...TOKENS,
  ...BLOCKING,
  ...AUDIT,
  ...SUBSCRIPTIONS,
];
