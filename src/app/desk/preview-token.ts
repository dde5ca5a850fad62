import { createHash, randomBytes } from 'node:crypto';
import { LIMITS } from '../../domain/limits.ts';

export const newToken = (): string => randomBytes(LIMITS.previewTokenBytes).toString('base64url');

/** Returns the hash of a token. The store contains only hashes of tokens. */
export const hashOf = (text: string): string =>
  createHash('sha256').update(text).digest('base64url');
