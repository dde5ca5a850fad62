import { createHash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 24;

export const newToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

/** The store keeps hashes alone. */
export const hashOf = (text: string): string =>
  createHash('sha256').update(text).digest('base64url');
