import { hash, randomBytes } from 'node:crypto';

const PREFIX = 'tlk_';
const RANDOM_BYTES = 16;
const KEY = /^tlk_[\w-]{22}$/u;
/** An `Authorization` header with a licence key. */
const HEADER = /^license +(.*)$/iu;

/** A new licence key, with 128 random bits. */
export const newLicenseKey = (): string => PREFIX + randomBytes(RANDOM_BYTES).toString('base64url');

/** The key of an `Authorization: License …` header; `null` for another scheme. */
export const licenseKeyIn = (authorization: string | undefined): string | null =>
  HEADER.exec(authorization ?? '')?.[1]?.trim() ?? null;

/** Whether the text can be a licence key. Other texts need no lookup. */
export const isLicenseKey = (text: string): boolean => KEY.test(text);

/** The hash under which the database knows a key. */
export const hashOfKey = (key: string): Buffer => hash('sha256', key, 'buffer');
