import { createHash } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/*
 * Makes and verifies signatures of hashes on the curve secp256k1. Node can only sign and verify messages that it hashes
 * itself.
 */

const P = 2n ** 256n - 2n ** 32n - 977n;
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const G = {
  x: 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n,
  y: 0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n,
};

/** A point of the curve; `undefined` is the point at infinity. */
type Point = { readonly x: bigint; readonly y: bigint } | undefined;

const modulo = (value: bigint, by: bigint): bigint => ((value % by) + by) % by;

function inverse(value: bigint, of: bigint): bigint {
  let [a, b, x, y] = [modulo(value, of), of, 1n, 0n];
  while (a > 1n) {
    const quotient = b / a;
    [a, b, x, y] = [b - quotient * a, a, y - quotient * x, x];
  }
  return modulo(x, of);
}

function sum(a: Point, b: Point): Point {
  if (a === undefined) return b;
  if (b === undefined) return a;
  if (a.x === b.x && a.y !== b.y) return undefined;
  const slope =
    a.x === b.x ? 3n * a.x * a.x * inverse(2n * a.y, P) : (b.y - a.y) * inverse(b.x - a.x, P);
  const x = modulo(slope * slope - a.x - b.x, P);
  return { x, y: modulo(slope * (a.x - x) - a.y, P) };
}

function times(point: Point, factor: bigint): Point {
  let product: Point;
  let power = point;
  for (let rest = factor; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) product = sum(product, power);
    power = sum(power, power);
  }
  return product;
}

const coordinate = (text = ''): bigint =>
  BigInt(`0x${Buffer.from(text, 'base64url').toString('hex') || '0'}`);

/** Returns the two numbers of a signature in DER; `undefined` for a malformed signature. */
export function readSignature(der: Buffer): readonly [r: bigint, s: bigint] | undefined {
  if (der.length < 8 || der[0] !== 0x30 || der[1] !== der.length - 2) return undefined;
  const numbers: bigint[] = [];
  let at = 2;
  while (at < der.length) {
    const length = der[at + 1] ?? 0;
    const end = at + 2 + length;
    if (der[at] !== 0x02 || length === 0 || end > der.length) return undefined;
    numbers.push(BigInt(`0x${der.subarray(at + 2, end).toString('hex')}`));
    at = end;
  }
  const [r, s] = numbers;
  return numbers.length === 2 && r !== undefined && s !== undefined ? [r, s] : undefined;
}

/** Returns whether a signature is valid for a hash. */
export function isSignatureOf(
  hash: Buffer,
  [r, s]: readonly [r: bigint, s: bigint],
  key: KeyObject,
): boolean {
  if (r <= 0n || r >= N || s <= 0n || s >= N) return false;
  const { x, y } = key.export({ format: 'jwk' });
  const inverseOfS = inverse(s, N);
  const digest = BigInt(`0x${hash.subarray(0, 32).toString('hex') || '0'}`);
  const point = sum(
    times(G, modulo(digest * inverseOfS, N)),
    times({ x: coordinate(x), y: coordinate(y) }, modulo(r * inverseOfS, N)),
  );
  return point !== undefined && modulo(point.x, N) === r;
}

const HEX_DIGITS = 64;

/** Returns a number in DER: with a leading zero byte if its first bit is set, because numbers in DER have a sign. */
function integerInDer(value: bigint): Buffer {
  const bytes = Buffer.from(value.toString(16).padStart(HEX_DIGITS, '0'), 'hex');
  const shortest = bytes.subarray(bytes.findIndex((byte) => byte !== 0));
  const number = (shortest[0] ?? 0) > 127 ? Buffer.concat([Buffer.of(0), shortest]) : shortest;
  return Buffer.concat([Buffer.of(0x02, number.length), number]);
}

/**
 * Signs a hash. Returns the signature in DER, in hex. Equal keys and hashes have equal signatures. The time of the
 * computation depends on the key, so the function is suitable for tests only.
 */
export function signHash(hash: Buffer, privateKey: KeyObject): string {
  const secret = coordinate(privateKey.export({ format: 'jwk' }).d);
  const digest = BigInt(`0x${hash.subarray(0, 32).toString('hex') || '0'}`);
  const seed = createHash('sha256').update(secret.toString(16)).update(hash).digest('hex');
  const nonce = modulo(BigInt(`0x${seed}`), N - 1n) + 1n;
  const r = modulo(times(G, nonce)?.x ?? 0n, N);
  const s = modulo(inverse(nonce, N) * (digest + r * secret), N);
  const numbers = Buffer.concat([integerInDer(r), integerInDer(s)]);
  return Buffer.concat([Buffer.of(0x30, numbers.length), numbers]).toString('hex');
}
