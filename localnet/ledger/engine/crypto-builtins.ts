import { createHash, createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { Meter } from './bounds.ts';
import type { ErrorCode, LedgerError } from '../ledger-error.ts';
import { interpreterRefusal } from '../interpretation-errors.ts';
import { keccak256 } from './keccak.ts';
import { isSignatureOf, readSignature } from './secp256k1.ts';

const HEX = /^[0-9a-f]*$/;
const CURVE = 'secp256k1';

const malformed = (code: ErrorCode, what: string, value: string, cause: string): LedgerError =>
  interpreterRefusal(code, `${what} ${value}:\n  ${cause}`);

/** @param cause the text of the error that is thrown if `hex` is not hexadecimal */
function bytesOf(hex: string, cause: string): Buffer {
  if (hex.length % 2 === 0 && HEX.test(hex)) return Buffer.from(hex, 'hex');
  throw malformed(
    'INTERPRETATION_CRYPTO_ERROR_MALFORMED_BYTE_ENCODING',
    'Invalid byte encoding format for',
    hex,
    cause,
  );
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export const sha256Text = (text: string): string => sha256(Buffer.from(text, 'utf8'));
export const sha256Hex = (hex: string): string => sha256(bytesOf(hex, 'can not parse hex string'));
export const keccak256Hex = (hex: string, meter: Meter): string =>
  keccak256(bytesOf(hex, 'can not parse hex string'), meter);
export const textToHex = (text: string): string => Buffer.from(text, 'utf8').toString('hex');
export const hexToText = (hex: string): string =>
  bytesOf(hex, 'can not parse hex string argument').toString('utf8');

function keyOf(hex: string): KeyObject {
  const der = bytesOf(hex, 'can not parse DER encoded public key hex string');
  try {
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    if (key.asymmetricKeyType === 'ec') return key;
  } catch {
    // Malformed keys are refused after this block.
  }
  throw malformed(
    'INTERPRETATION_CRYPTO_ERROR_MALFORMED_KEY',
    'Malformed public key for',
    hex,
    'not an elliptic curve key',
  );
}

/** Returns whether the key is a point of the curve. Throws if the key is malformed. */
export const isValidKey = (hex: string): boolean =>
  keyOf(hex).asymmetricKeyDetails?.namedCurve === CURVE;

/** Returns whether a signature is valid for a hash. */
export function isSignedHash(signature: string, hash: string, key: string): boolean {
  const signed = bytesOf(signature, 'can not parse signature hex string');
  const digest = bytesOf(hash, 'can not parse message hex string');
  const publicKey = keyOf(key);
  if (publicKey.asymmetricKeyDetails?.namedCurve !== CURVE) return false;
  const numbers = readSignature(signed);
  if (numbers !== undefined) return isSignatureOf(digest, numbers, publicKey);
  throw malformed(
    'INTERPRETATION_CRYPTO_ERROR_MALFORMED_SIGNATURE',
    'Malformed signature for',
    signature,
    'not in DER',
  );
}

/** Returns whether a signature is valid for the bytes of a message. */
export const isSignedBytes = (signature: string, message: string, key: string): boolean =>
  isSignedHash(signature, sha256(bytesOf(message, 'can not parse message hex string')), key);
