import { hash, randomBytes } from 'node:crypto';

const PREFIX = 'tlk_';
const RANDOM_BYTES = 16;
const KEY = /^tlk_[\w-]{22}$/u;
/** Matches an `Authorization` header with a licence key. */
const HEADER = /^license +(.*)$/iu;

/** Returns a new licence key with 128 random bits. */
export const newLicenseKey = (): string => PREFIX + randomBytes(RANDOM_BYTES).toString('base64url');

/** Returns the key in an `Authorization: License …` header; `null` for any other scheme. */
export const licenseKeyIn = (authorization: string | undefined): string | null =>
  HEADER.exec(authorization ?? '')?.[1]?.trim() ?? null;

/** Returns whether the text has the form of a licence key. A text without that form need not be looked up. */
export const isLicenseKey = (text: string): boolean => KEY.test(text);

/** Returns the hash of a key. The database stores only this hash. */
export const hashOfKey = (key: string): Buffer => hash('sha256', key, 'buffer');
