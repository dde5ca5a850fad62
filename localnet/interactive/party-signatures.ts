import type { PartySignatures } from '../../proto/gen/com/daml/ledger/api/v2/interactive/interactive_submission_service.ts';
import type { Signature } from '../../proto/gen/com/daml/ledger/api/v2/crypto.ts';
import { SigningKeyUsage } from '../../proto/gen/com/digitalasset/canton/crypto/v30/crypto.ts';
import { isUniqueIdentifier } from '../ledger/identifiers.ts';
import type { ExternalParty } from '../ledger/records.ts';
import { invalidField } from '../ledger/submission-checks.ts';
import { checkSignature, isSignedBy } from '../topology/keys.ts';
import { notExecuted } from './refusals.ts';

/** The maximum number of a party's signatures on one transaction, however many keys it has. */
const SIGNATURES_MAX = 50;

export type SignaturesByParty = ReadonlyMap<string, readonly Signature[]>;

/** Returns signatures by party. If a party is repeated, its signatures are merged. Throws INVALID_FIELD. */
export function readPartySignatures({ signatures }: PartySignatures): SignaturesByParty {
  const byParty = new Map<string, Signature[]>();
  for (const { party, signatures: given } of signatures) {
    if (!isUniqueIdentifier(party)) {
      throw invalidField(
        'SinglePartySignatures.party',
        `'${party.slice(0, 300)}' is not a party of the topology`,
      );
    }
    for (const signature of given) checkSignature(signature, 'SinglePartySignatures.signature');
    const known = byParty.get(party);
    if (known === undefined) byParty.set(party, [...given]);
    else for (const signature of given) known.push(signature);
  }
  return byParty;
}

/** Throws FAILED_TO_EXECUTE_TRANSACTION if a party has too many signatures. */
export function checkSignatureCount(byParty: SignaturesByParty): void {
  if ([...byParty.values()].every(({ length }) => length <= SIGNATURES_MAX)) return;
  throw notExecuted(
    `One or more parties provided more than the maximum number of signatures allowed (${SIGNATURES_MAX})`,
  );
}

/**
 * Checks that all acting parties have signed, each with at least its threshold of keys. Throws
 * FAILED_TO_EXECUTE_TRANSACTION.
 */
export function verifySignatures(
  hash: Buffer,
  actAs: readonly string[],
  byParty: SignaturesByParty,
  externalParties: ReadonlyMap<string, ExternalParty>,
): void {
  const silent = actAs.filter((party) => !byParty.has(party));
  if (silent.length > 0) {
    throw notExecuted(
      `The following actAs parties did not provide an external signature: ${silent.join(', ')}`,
    );
  }
  for (const party of actAs) {
    verifyOne(hash, party, byParty.get(party) ?? [], externalParties.get(party));
  }
}

function verifyOne(
  hash: Buffer,
  party: string,
  signatures: readonly Signature[],
  external: ExternalParty | undefined,
): void {
  if (external === undefined) {
    throw notExecuted(`Could not find party signing keys for ${party}.`);
  }
  const keys = external.keys.filter(({ usage }) => usage.includes(SigningKeyUsage.PROTOCOL));
  if (signatures.length > keys.length) {
    throw notExecuted(
      `${signatures.length} external signatures were provided, which is more than the number of registered signing keys (${keys.length}) with protocol usage for ${party}`,
    );
  }
  const valid = signatures.filter((signature) => {
    const key = keys.find(({ fingerprint }) => fingerprint === signature.signedBy);
    if (key === undefined) return false;
    const { fingerprint, spec } = key;
    const usage = [SigningKeyUsage.PROTOCOL];
    const spki = Buffer.from(key.spki, 'base64');
    return isSignedBy({ fingerprint, spki, spec: spec as never, usage }, signature, hash);
  });
  const distinct = new Set(valid.map(({ signedBy }) => signedBy)).size;
  if (distinct >= external.threshold) return;
  throw notExecuted(
    `Received ${distinct} valid signatures from distinct keys (${signatures.length - valid.length} invalid), but expected at least ${external.threshold} valid for ${party}. Transaction hash to be signed: ${hash.toString('hex')}. Ensure the correct transaction hash is signed with the correct key(s).`,
  );
}
