import { createLocalJWKSet, errors } from 'jose';
import type { CryptoKey, ProtectedHeaderParameters } from 'jose';
import { isJsonRecord } from '../domain/json.ts';
import type { Json } from '../domain/json.ts';
import { AUTH_LIMITS } from './limits.ts';
import type { IssuerDirectory } from './issuer-directory.ts';

export interface IssuerKeysOptions {
  readonly issuers: Pick<IssuerDirectory, 'jwksUrl' | 'fetchOf'>;
  /** A clock that never goes back. */
  readonly steadyMs: () => number;
  /** Called for each failed read of an issuer's keys, for the log. */
  readonly onUnavailable?: (issuer: string, error: unknown) => void;
}

/** Thrown if the keys that a token needs cannot be read now, so that the token can be neither accepted nor refused. */
export class KeysUnavailableError extends Error {
  override readonly name = 'KeysUnavailableError';
  /** The keys are not read again until this time has passed. */
  readonly retryAfterMs: number;
  constructor(message: string, retryAfterMs: number, cause?: unknown) {
    super(message, { cause });
    this.retryAfterMs = retryAfterMs;
  }
}

/** Thrown if no key of the issuer has signed the token. `isNamed`: the issuer has a key with the token's key ID. */
export class ForeignSignatureError extends Error {
  override readonly name = 'ForeignSignatureError';
  readonly isNamed: boolean;
  constructor(isNamed: boolean) {
    super('no key of the issuer has signed the token');
    this.isNamed = isNamed;
  }
}

/** The keys of one issuer, as published at one time. */
interface KeySet {
  readonly keyIds: ReadonlySet<unknown>;
  /**
   * Yields the keys that fit the algorithm and the key ID of a token's header; a key without an ID fits all key IDs.
   */
  fitting(header: ProtectedHeaderParameters): AsyncIterable<CryptoKey>;
  /** The time at which the read of these keys began. */
  readonly readAtMs: number;
}

type LocalKeys = ReturnType<typeof createLocalJWKSet>;

/** Whether a key is strong, and cheap to verify with. A tenant may have chosen the issuer, and so the key. */
function isSuitable({ algorithm }: CryptoKey): boolean {
  if (!('modulusLength' in algorithm && 'publicExponent' in algorithm)) return true;
  const bits = Number(algorithm.modulusLength);
  return (
    bits >= AUTH_LIMITS.rsaModulusBitsMin &&
    bits <= AUTH_LIMITS.rsaModulusBitsMax &&
    (algorithm.publicExponent as Uint8Array).length <= AUTH_LIMITS.rsaExponentBytesMax
  );
}

/** Yields the matching keys, without keys that the library cannot import. */
async function* matching(
  keys: LocalKeys,
  header: ProtectedHeaderParameters,
): AsyncGenerator<CryptoKey> {
  let several: AsyncIterable<CryptoKey>;
  try {
    const only = await keys(header);
    if (isSuitable(only)) yield only;
    return;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return;
    several = error;
  }
  let tried = 0;
  for await (const key of several) {
    if (isSuitable(key)) yield key;
    tried += 1;
    if (tried >= AUTH_LIMITS.issuerKeysTriedMax) return;
  }
}

/** Parses the keys that an issuer publishes. @throws if the document is not a set of keys */
function keySetOf(document: Json, readAtMs: number): KeySet {
  const published = isJsonRecord(document) ? document['keys'] : undefined;
  if (!Array.isArray(published)) throw new TypeError('the answer is not a set of keys');
  const jwks = published.filter(isJsonRecord).slice(0, AUTH_LIMITS.issuerKeysMax);
  const setOf = (keys: typeof jwks): LocalKeys => createLocalJWKSet({ keys });
  const [all, unnamed] = [setOf(jwks), setOf(jwks.filter(({ kid }) => kid === undefined))];
  return {
    keyIds: new Set(jwks.flatMap(({ kid }) => (kid === undefined ? [] : [kid]))),
    readAtMs,
    async *fitting(header) {
      yield* matching(all, header);
      const { kid, ...nameless } = header;
      if (kid !== undefined) yield* matching(unnamed, nameless);
    },
  };
}

/** The keys of one issuer, and the running read of the keys, if there is one. */
class Issuer {
  readonly #name: string;
  readonly #options: IssuerKeysOptions;
  #keys: KeySet | null = null;
  #reading: Promise<KeySet> | null = null;
  #beganMs = Number.NEGATIVE_INFINITY;

  constructor(name: string, options: IssuerKeysOptions) {
    this.#name = name;
    this.#options = options;
  }

  /** Returns keys that are not older than the maximum age, and reads them if needed. @throws KeysUnavailableError */
  current(): Promise<KeySet> {
    const nowMs = this.#options.steadyMs();
    const isFresh =
      this.#keys !== null && nowMs - this.#keys.readAtMs < AUTH_LIMITS.issuerKeysMaxAgeMs;
    return isFresh && this.#keys !== null ? Promise.resolve(this.#keys) : this.#read(false);
  }

  /** Reads the keys again if the last read was long enough ago. @throws KeysUnavailableError */
  newer(): Promise<KeySet> {
    const leftMs = this.#beganMs + AUTH_LIMITS.issuerKeysCooldownMs - this.#options.steadyMs();
    if (this.#reading !== null || leftMs <= 0) return this.#read(true);
    throw new KeysUnavailableError('the keys were read a moment ago', leftMs);
  }

  #read(again: boolean): Promise<KeySet> {
    if (this.#reading !== null) return this.#reading;
    this.#beganMs = this.#options.steadyMs();
    const reading = this.#ask(again, this.#beganMs).finally(() => {
      this.#reading = null;
    });
    this.#reading = reading;
    return reading;
  }

  async #ask(again: boolean, beganMs: number): Promise<KeySet> {
    const { issuers, onUnavailable } = this.#options;
    try {
      const url = await issuers.jwksUrl(this.#name, again);
      const response = await issuers.fetchOf(this.#name)(url, {
        redirect: 'manual',
        headers: { accept: 'application/json, application/jwk-set+json' },
        signal: AbortSignal.timeout(AUTH_LIMITS.issuerKeysFetchMs),
      });
      if (response.status !== 200) {
        await response.body?.cancel();
        throw new Error(`the keys were answered with HTTP ${response.status}`);
      }
      this.#keys = keySetOf((await response.json()) as Json, beganMs);
      return this.#keys;
    } catch (error) {
      onUnavailable?.(this.#name, error);
      throw new KeysUnavailableError('the keys cannot be read', AUTH_LIMITS.issuerRetryMs, error);
    }
  }
}

/**
 * The keys of all issuers. Tokens that need the keys of one issuer share one read of these keys, and do not delay
 * tokens of other issuers.
 */
export class IssuerKeys {
  readonly #options: IssuerKeysOptions;
  readonly #issuers = new Map<string, Issuer>();

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
  }

  /**
   * Tries the issuer's keys until one verifies the token. Because an issuer may have changed its keys, the conclusion
   * that no key has signed the token needs keys that were read after the token arrived. A key ID names one key, so for
   * a token with a known key ID it is enough if the keys were read within the last seconds.
   *
   * @param verifyWith throws `JWSSignatureVerificationFailed` if the key has not signed the token
   * @throws ForeignSignatureError
   * @throws KeysUnavailableError
   */
  async tried<Found>(
    issuer: string,
    header: ProtectedHeaderParameters,
    verifyWith: (key: CryptoKey) => Promise<Found>,
  ): Promise<Found> {
    const arrivedMs = this.#options.steadyMs();
    const known = this.#issuer(issuer);
    let keys = await known.current();
    for (;;) {
      for await (const key of keys.fitting(header)) {
        try {
          return await verifyWith(key);
        } catch (error) {
          if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
        }
      }
      const isNamed = header.kid !== undefined && keys.keyIds.has(header.kid);
      const sinceMs = arrivedMs - (isNamed ? AUTH_LIMITS.issuerKeysCooldownMs : 0);
      if (keys.readAtMs >= sinceMs) throw new ForeignSignatureError(isNamed);
      keys = await known.newer();
    }
  }

  #issuer(name: string): Issuer {
    const known = this.#issuers.get(name) ?? new Issuer(name, this.#options);
    this.#issuers.set(name, known);
    return known;
  }
}
