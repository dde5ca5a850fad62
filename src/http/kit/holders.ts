import { hash } from 'node:crypto';
import type { TenantCaller } from '../../domain/turns.ts';
import { LIMITS } from '../../domain/limits.ts';

/** Adds an entry to a map that is ordered by last use, and evicts the oldest entry if there are too many. */
export function keep<Entry>(
  entries: Map<string, Entry>,
  key: string,
  entry: Entry,
  max: number,
): void {
  entries.delete(key);
  entries.set(key, entry);
  if (entries.size <= max) return;
  const oldest = entries.keys().next();
  if (oldest.done !== true) entries.delete(oldest.value);
}

/**
 * The holders of sessions and licence keys that this process has found, so that a request counts against the limits of
 * its tenant before the database is queried. A remembered credential may have ended, so each request still looks it up.
 */
export class Holders {
  readonly #holders = new Map<string, TenantCaller>();

  get(credential: string): TenantCaller | null {
    const key = hash('sha256', credential, 'base64');
    const holder = this.#holders.get(key);
    if (holder === undefined) return null;
    keep(this.#holders, key, holder, LIMITS.tokensMax);
    return holder;
  }

  /** @param credential a secret, of which only the hash is kept */
  remember(credential: string, { party, subject }: TenantCaller): void {
    const key = hash('sha256', credential, 'base64');
    keep(this.#holders, key, { party, subject }, LIMITS.tokensMax);
  }
}
