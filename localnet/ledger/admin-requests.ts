import { LedgerError } from './ledger-error.ts';
import { invalidArgument, missingField } from './submission-checks.ts';

/** A participant of this network has no identity provider but its default one, whose id is empty. */
export function checkIdentityProvider(identityProviderId: string): void {
  if (identityProviderId === '') return;
  throw new LedgerError(
    'IDP_CONFIG_NOT_FOUND',
    `Identity Provider Config with ID "${identityProviderId.slice(0, 255)}" could not be found`,
  );
}

/** Paths of an update mask, each of which must be one of `known`. */
export function checkMask(
  mask: readonly string[] | undefined,
  known: readonly string[],
): ReadonlySet<string> {
  if (mask === undefined) throw missingField('update_mask');
  if (mask.length === 0) throw invalidArgument('update_mask contains no paths');
  for (const path of mask) {
    if (!known.includes(path)) {
      throw invalidArgument(
        `The update path: '${path.slice(0, 100)}' points to no updatable field`,
      );
    }
  }
  if (new Set(mask).size !== mask.length) throw invalidArgument('update_mask repeats a path');
  return new Set(mask);
}
