import type { LicensingKind } from '../src/domain/licensing.ts';
import { install } from './install.machine.ts';
import { installRequest } from './install-request.machine.ts';
import { license } from './license.machine.ts';
import { renewal } from './renewal.machine.ts';

const LIFECYCLES = { 'install-request': installRequest, install, license, renewal } as const;

/** Returns the lifecycle of a kind, for code that handles each of our kinds separately: addresses, drawings, tests. */
export const describe = <Kind extends LicensingKind>(kind: Kind): (typeof LIFECYCLES)[Kind] =>
  LIFECYCLES[kind];
