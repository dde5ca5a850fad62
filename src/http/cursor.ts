import type { ListKey } from '../app/ports.ts';
import { isParty } from '../domain/ids.ts';
import type { Lifecycle } from '../domain/lifecycle.ts';
import { LIMITS } from '../domain/limits.ts';
import { fail } from '../domain/problems.ts';
import { isStorable } from './json-body.ts';

const LICENSE_NUM = /^\d{1,19}$/u;
const INT64_MAX = 2n ** 63n - 1n;

/** Where a list goes on after this entry. Lifecycles without a number stand at 0. */
export const keyOf = (lifecycle: Lifecycle): ListKey => ({
  appUser: lifecycle.appUser,
  licenseNum: String(lifecycle.licenseNum ?? 0n),
  id: lifecycle.id,
});

/** Opaque to callers: what is in it may change from one release to the next. */
export const writeCursor = (key: ListKey): string =>
  Buffer.from(JSON.stringify([key.appUser, key.licenseNum, key.id])).toString('base64url');

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}

/** @throws ProblemError `REQUEST_INVALID` when we cannot have written it */
export function readCursor(cursor: string): ListKey {
  const found = parsed(cursor);
  const [appUser, licenseNum, id]: unknown[] = Array.isArray(found) ? found : [];
  if (
    typeof appUser === 'string' &&
    isParty(appUser) &&
    typeof licenseNum === 'string' &&
    LICENSE_NUM.test(licenseNum) &&
    BigInt(licenseNum) <= INT64_MAX &&
    typeof id === 'string' &&
    isStorable(id) &&
    id.length <= LIMITS.pathIdCharsMax
  ) {
    return { appUser, licenseNum, id };
  }
  return fail('REQUEST_INVALID', 'cursor is not one that a list has given', {
    extra: { field: 'cursor' },
  });
}
