import { createPublicKey, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import {
  SignatureFormat,
  SigningAlgorithmSpec,
} from '../../proto/gen/com/daml/ledger/api/v2/crypto.ts';
import type { Signature } from '../../proto/gen/com/daml/ledger/api/v2/crypto.ts';
import {
  CryptoKeyFormat,
  SigningKeyScheme,
  SigningKeySpec,
  SigningKeyUsage,
} from '../../proto/gen/com/digitalasset/canton/crypto/v30/crypto.ts';
import type { SigningPublicKey } from '../../proto/gen/com/digitalasset/canton/crypto/v30/crypto.ts';
import { invalidField } from '../ledger/submission-checks.ts';
import { HASH_PURPOSE, cantonHash } from './canton-hash.ts';

/** The curve of each key specification, by its name in a JWK. */
const CURVES: Readonly<Record<number, string | undefined>> = {
  [SigningKeySpec.EC_CURVE25519]: 'Ed25519',
  [SigningKeySpec.EC_P256]: 'P-256',
  [SigningKeySpec.EC_P384]: 'P-384',
  [SigningKeySpec.EC_SECP256K1]: 'secp256k1',
};
const SPEC_OF_SCHEME: Readonly<Record<number, SigningKeySpec | undefined>> = {
  [SigningKeyScheme.ED25519]: SigningKeySpec.EC_CURVE25519,
  [SigningKeyScheme.EC_DSA_P256]: SigningKeySpec.EC_P256,
  [SigningKeyScheme.EC_DSA_P384]: SigningKeySpec.EC_P384,
};
/** The bytes that precede an Ed25519 key's 32 bytes in its SubjectPublicKeyInfo. */
const ED25519_SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const ED25519_BYTES = 32;
/** The usages of a key if its owner states none. */
const ALL_USAGES = [
  SigningKeyUsage.NAMESPACE,
  SigningKeyUsage.SEQUENCER_AUTHENTICATION,
  SigningKeyUsage.PROTOCOL,
  SigningKeyUsage.PROOF_OF_OWNERSHIP,
] as const;

/** A public signing key in a single form, no matter in which form the caller sent it. */
export interface SigningKey {
  /** The key's fingerprint: `1220` and 64 hex digits. */
  readonly fingerprint: string;
  /** The key as SubjectPublicKeyInfo, in DER. */
  readonly spki: Buffer;
  readonly spec: SigningKeySpec;
  readonly usage: readonly SigningKeyUsage[];
}

/** Thrown for a malformed key. The message contains the reason. */
export class MalformedKey extends Error {
  override readonly name = 'MalformedKey';
}

function specOf({ keySpec, scheme }: SigningPublicKey): SigningKeySpec {
  const spec = keySpec === SigningKeySpec.UNSPECIFIED ? SPEC_OF_SCHEME[scheme] : keySpec;
  if (spec === undefined || CURVES[spec] === undefined) {
    throw new MalformedKey(`FieldNotSet(key_spec)`);
  }
  return spec;
}

const isEnveloped = (format: CryptoKeyFormat): boolean =>
  format === CryptoKeyFormat.DER_X509_SUBJECT_PUBLIC_KEY_INFO || format === CryptoKeyFormat.DER;

function spkiOf({ format, publicKey }: SigningPublicKey, spec: SigningKeySpec): Buffer {
  const bytes = Buffer.from(publicKey);
  if (isEnveloped(format)) return bytes;
  if (format === CryptoKeyFormat.UNSPECIFIED) throw new MalformedKey('FieldNotSet(format)');
  const isBare = format === CryptoKeyFormat.RAW && spec === SigningKeySpec.EC_CURVE25519;
  if (isBare && bytes.length === ED25519_BYTES) return Buffer.concat([ED25519_SPKI_PREFIX, bytes]);
  throw new MalformedKey(
    `KeyParseAndValidateError(Invalid format for signing public key: ${format})`,
  );
}

function keyObject(spki: Buffer, spec: SigningKeySpec): KeyObject {
  try {
    const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
    if (key.export({ format: 'jwk' }).crv === CURVES[spec]) return key;
  } catch {
    // The next lines throw the error.
  }
  throw new MalformedKey(`KeyParseAndValidateError(not a public key of ${CURVES[spec]})`);
}

/** Reads a key in any of the formats that Canton accepts. Throws {@link MalformedKey}. */
export function readKey(key: SigningPublicKey): SigningKey {
  const spec = specOf(key);
  const spki = spkiOf(key, spec);
  keyObject(spki, spec);
  const usage = key.usage.length === 0 ? ALL_USAGES : key.usage;
  // The fingerprint of an Ed25519 key is a hash of the bare 32 bytes, because such keys were once stored in that form.
  const named = spec === SigningKeySpec.EC_CURVE25519 ? spki.subarray(-ED25519_BYTES) : spki;
  const fingerprint = cantonHash(HASH_PURPOSE.publicKeyFingerprint, named).toString('hex');
  return { fingerprint, spki, spec, usage: withProofOfOwnership(usage) };
}

/** Adds the usage "proof of ownership", unless the key signs nothing but namespaces. */
const withProofOfOwnership = (usage: readonly SigningKeyUsage[]): readonly SigningKeyUsage[] =>
  usage.every((one) => one === SigningKeyUsage.NAMESPACE)
    ? usage
    : [...new Set([...usage, SigningKeyUsage.PROOF_OF_OWNERSHIP])];

/** Converts a key to the form that topology transactions contain. */
export const writeKey = ({ spki, spec, usage }: SigningKey): SigningPublicKey => ({
  format: CryptoKeyFormat.DER_X509_SUBJECT_PUBLIC_KEY_INFO,
  publicKey: spki,
  scheme: SigningKeyScheme.UNSPECIFIED,
  usage: [...usage],
  keySpec: spec,
});

const FINGERPRINT = /^[A-Za-z0-9\-_ ]{1,68}$/;
const DIGESTS: Readonly<Record<number, string | null | undefined>> = {
  [SigningAlgorithmSpec.ED25519]: null,
  [SigningAlgorithmSpec.EC_DSA_SHA_256]: 'sha256',
  [SigningAlgorithmSpec.EC_DSA_SHA_384]: 'sha384',
};
const FORMATS: ReadonlySet<SignatureFormat> = new Set([
  SignatureFormat.DER,
  SignatureFormat.CONCAT,
  SignatureFormat.RAW,
  SignatureFormat.SYMBOLIC,
]);

/** Throws INVALID_FIELD for an algorithm that is not supported for signatures. */
export function checkAlgorithm(algorithm: SigningAlgorithmSpec, fieldName: string): void {
  if (DIGESTS[algorithm] !== undefined) return;
  throw invalidField(fieldName, `Signing algorithm spec ${algorithm} not supported`);
}

/** Does the checks of a signature that need no key. Throws INVALID_FIELD. */
export function checkSignature(signature: Signature, fieldName: string): void {
  const { format, signedBy, signingAlgorithmSpec } = signature;
  if (format === SignatureFormat.UNSPECIFIED) {
    throw invalidField('format', 'Signature format must be specified');
  }
  if (!FORMATS.has(format)) {
    throw invalidField('format', `Signing algorithm spec ${format} not supported`);
  }
  if (!FINGERPRINT.test(signedBy)) {
    throw invalidField(fieldName, `Unable to parse the fingerprint ${signedBy.slice(0, 100)}`);
  }
  checkAlgorithm(signingAlgorithmSpec, fieldName);
}

/** Returns whether a key made a signature over bytes. The signature has the format of its algorithm. */
export function isSignedBy(key: SigningKey, signature: Signature, content: Uint8Array): boolean {
  const { format, signingAlgorithmSpec } = signature;
  const digest = DIGESTS[signingAlgorithmSpec];
  const isEdwards = key.spec === SigningKeySpec.EC_CURVE25519;
  if (digest === undefined || isEdwards !== (digest === null)) return false;
  if (format !== SignatureFormat.RAW) {
    if (format !== (isEdwards ? SignatureFormat.CONCAT : SignatureFormat.DER)) return false;
  }
  try {
    return verify(digest, content, keyObject(key.spki, key.spec), signature.signature);
  } catch {
    return false;
  }
}
