import type { Io } from './io.ts';

/*
 * Stored answers of requests that carry an `Idempotency-Key` but record no operation. A repeated request gets the
 * stored answer.
 */

/** An answer, without secrets. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** A request, identified by digests. */
export interface KeyedRequest {
  /** Digest of the caller and the key. */
  readonly id: Buffer;
  /** Digest of the method, the address and the body. */
  readonly request: Buffer;
}

export type Beginning =
  /** The key is new, so the request may be carried out. */
  | { readonly kind: 'begun' }
  | { readonly kind: 'answered'; readonly answer: KeptAnswer }
  /** The key was used for another request. */
  | { readonly kind: 'other' }
  /** The first request with this key has no answer yet. */
  | { readonly kind: 'open'; readonly sinceMs: number };

export interface KeptAnswers {
  begin(asked: KeyedRequest, io: Io): Promise<Beginning>;
  keep(id: Buffer, answer: KeptAnswer, io: Io): Promise<void>;
  /** Frees the key of a request that had no effect, so that it can be repeated. */
  forget(id: Buffer, io: Io): Promise<void>;
  /** Deletes a batch of old rows. @returns whether it was a full batch, so that there may be more */
  prune(io: Io): Promise<boolean>;
}
