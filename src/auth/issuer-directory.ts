import { isJsonRecord, textAt } from '../domain/json.ts';
import type { Json, JsonRecord } from '../domain/json.ts';
import { moved, movedBeside } from './issuer-addresses.ts';
import { AUTH_LIMITS } from './limits.ts';
import { AddressNotAllowedError, BodyTooLongError } from './outgoing-fetch.ts';
import type { OutgoingFetch } from './outgoing-fetch.ts';
import { ALGORITHMS } from './token-rules.ts';

/** A configured issuer, and the address at which Tenure reaches it. */
export interface KnownIssuer {
  readonly issuer: string;
  /** Requests use this address in place of the issuer's own one as the prefix of URLs. */
  readonly endpointUrl: string;
  /** Configured endpoints, which replace those in the issuer's metadata. */
  readonly endpoints: EndpointOverrides;
}

/** Endpoints that replace those in an issuer's published metadata, under the metadata's own member names. */
export type EndpointOverrides = Readonly<
  Partial<
    Record<
      'jwks_uri' | 'token_endpoint' | 'authorization_endpoint' | 'end_session_endpoint',
      string
    >
  >
>;

/** The parts of an issuer's metadata (OpenID Connect Discovery 1.0, section 3) that Tenure uses. */
export interface IssuerMetadata {
  readonly jwksUrl: string;
  /** The metadata as received, but with the configured endpoints. */
  readonly document: JsonRecord;
  /** Whether the endpoints may be called over plain HTTP. */
  readonly allowsPlain: boolean;
}

/**
 * Thrown if the issuer cannot be used. The message is a clause whose subject is the issuer; it contains no data from
 * the issuer.
 */
export class IssuerUnusableError extends Error {
  override readonly name = 'IssuerUnusableError';
}

/** Thrown if the issuer publishes no metadata. */
class NoMetadataError extends IssuerUnusableError {}

/** Reads the metadata of configured issuers, and of issuers that tenants have chosen. */
export interface IssuerDirectory {
  /**
   * Returns metadata that is at most ten minutes old. If a configured issuer does not answer, returns the metadata that
   * was read last.
   *
   * @param again reads the metadata again, whatever its age
   * @throws IssuerUnusableError
   */
  metadata(issuer: string, again?: boolean): Promise<IssuerMetadata>;
  /**
   * Reads the issuer's metadata and keys to check the issuer. @returns a clause that says why the issuer cannot be
   * used, or `null`
   */
  defectOf(issuer: string): Promise<string | null>;
  /** Returns the URL of the issuer's keys: the configured one, or that in the metadata. @throws IssuerUnusableError */
  jwksUrl(issuer: string, again?: boolean): Promise<string>;
  /** Returns the issuer's token endpoint: configured, or from the metadata. @throws IssuerUnusableError */
  tokenUrl(issuer: string): Promise<string>;
  /**
   * Returns a `fetch` for requests to an issuer. It reaches a configured issuer at its address for Tenure, and connects
   * to any other host only at allowed addresses.
   */
  fetchOf(issuer: string): OutgoingFetch;
}

export interface IssuerDirectoryOptions {
  readonly known: readonly KnownIssuer[];
  /** Sends requests to configured addresses. */
  readonly fetch: OutgoingFetch;
  /** Sends requests to addresses that tenants chose. */
  readonly guardedFetch: OutgoingFetch;
  /** Whether an issuer that a tenant chose may use plain HTTP. */
  readonly allowsHttp: boolean;
  readonly nowMs: () => number;
}

const trimmed = (url: string): string => url.replace(/\/$/u, '');

const httpsOnly =
  (fetch: OutgoingFetch): OutgoingFetch =>
  (url, init) =>
    String(url).startsWith('https:')
      ? fetch(url, init)
      : Promise.reject(new IssuerUnusableError('must use https'));

function fetchFor(options: IssuerDirectoryOptions, issuer: string): OutgoingFetch {
  const known = options.known.find((candidate) => candidate.issuer === issuer);
  const { guardedFetch, allowsHttp } = options;
  if (known === undefined) return allowsHttp ? guardedFetch : httpsOnly(guardedFetch);
  const { endpointUrl } = known;
  const named = Object.values(known.endpoints);
  return (url, init) => {
    const asked = String(url);
    const isNamed = named.some((each) => asked === each || asked.startsWith(`${each}?`));
    const there = isNamed
      ? asked
      : (moved(asked, { from: issuer, to: endpointUrl }) ??
        movedBeside(asked, { from: endpointUrl, to: endpointUrl }) ??
        movedBeside(asked, { from: issuer, to: endpointUrl }));
    return there === null ? guardedFetch(asked, init) : options.fetch(there, init);
  };
}

/** Returns whether `matches` is true for the error or one of its causes. */
function isCausedBy(error: unknown, matches: (error: Error) => boolean): boolean {
  let at: unknown = error;
  for (let depth = 0; depth < 8 && at instanceof Error; depth += 1, at = at.cause) {
    if (matches(at)) return true;
  }
  return false;
}

function whyUnreadable(error: unknown): string {
  if (isCausedBy(error, (cause) => cause instanceof AddressNotAllowedError)) {
    return 'is at an address that is not allowed';
  }
  if (isCausedBy(error, (cause) => cause.name === 'TimeoutError')) return 'did not answer in time';
  const isTooLong = (cause: Error): boolean =>
    cause instanceof BodyTooLongError || cause.name === 'ResponseExceededMaxSizeError';
  if (isCausedBy(error, isTooLong)) return 'answered with too much';
  if (error instanceof SyntaxError) return 'did not answer with JSON';
  return 'cannot be reached';
}

/** Reads a JSON document of an issuer. @throws IssuerUnusableError */
async function documentAt(url: string, fetch: OutgoingFetch): Promise<JsonRecord> {
  try {
    return await askedDocument(url, fetch);
  } catch (error) {
    if (error instanceof IssuerUnusableError) throw error;
    throw new IssuerUnusableError(whyUnreadable(error), { cause: error });
  }
}

async function askedDocument(url: string, fetch: OutgoingFetch): Promise<JsonRecord> {
  const response = await fetch(url, {
    redirect: 'manual',
    headers: { accept: 'application/json' },
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    const isElsewhere = response.status >= 300 && response.status < 400;
    const words = isElsewhere ? ', and redirects are not followed' : '';
    const Reason = response.status === 404 ? NoMetadataError : IssuerUnusableError;
    throw new Reason(`answered with HTTP ${response.status}${words}`);
  }
  const document = (await response.json()) as Json;
  if (isJsonRecord(document)) return document;
  throw new IssuerUnusableError('did not answer with a JSON object');
}

const isWeb = (text: string): boolean => /^https?:$/u.test(URL.parse(text)?.protocol ?? '');

/** Whether a URL of an HTTPS issuer uses plain HTTP. Keys or secrets sent that way would make TLS worthless. */
const isDowngrade = (issuer: string, url: string): boolean =>
  issuer.startsWith('https:') && !url.startsWith('https:');

const isUsable = (issuer: string, url: string): boolean => isWeb(url) && !isDowngrade(issuer, url);

/** Reads the metadata of an issuer. @param names the names of the issuer, one of which the metadata must contain */
async function readDocument(
  issuer: string,
  names: readonly string[],
  fetch: OutgoingFetch,
): Promise<JsonRecord> {
  const document = await documentAt(`${trimmed(issuer)}/.well-known/openid-configuration`, fetch);
  const named = document['issuer'];
  if (typeof named === 'string' && names.includes(named)) return document;
  throw new IssuerUnusableError('names another issuer');
}

/** Returns the endpoints that Keycloak has for a realm. Used only if a configured issuer publishes no metadata. */
function keycloakDocument(issuer: string): JsonRecord {
  const base = `${trimmed(issuer)}/protocol/openid-connect`;
  return {
    jwks_uri: `${base}/certs`,
    token_endpoint: `${base}/token`,
    authorization_endpoint: `${base}/auth`,
    end_session_endpoint: `${base}/logout`,
    id_token_signing_alg_values_supported: [...ALGORITHMS],
  };
}

async function readKnown(known: KnownIssuer, fetch: OutgoingFetch): Promise<JsonRecord> {
  const { issuer, endpointUrl, endpoints } = known;
  const document = await readDocument(issuer, [issuer, endpointUrl], fetch).catch(
    (error: unknown) => {
      if (error instanceof NoMetadataError) return keycloakDocument(issuer);
      throw error;
    },
  );
  return { ...document, issuer, ...endpoints };
}

async function readMetadata(
  issuer: string,
  options: IssuerDirectoryOptions,
): Promise<IssuerMetadata> {
  const known = options.known.find((candidate) => candidate.issuer === issuer);
  const fetch = fetchFor(options, issuer);
  const document = await (known === undefined
    ? readDocument(issuer, [issuer], fetch)
    : readKnown(known, fetch));
  const jwksUrl = textAt(document, 'jwks_uri') ?? '';
  if (known?.endpoints.jwks_uri === undefined && !isUsable(issuer, jwksUrl)) {
    throw new IssuerUnusableError('does not say where its keys are');
  }
  const named = Object.values(known?.endpoints ?? {});
  const allowsPlain = [issuer, ...named].some((url) => url.startsWith('http:'));
  return { jwksUrl, document, allowsPlain };
}

/** Checks that the issuer publishes keys at the address in its metadata. @throws IssuerUnusableError */
async function requireKeys(jwksUrl: string, fetch: OutgoingFetch): Promise<void> {
  const { keys } = await documentAt(jwksUrl, fetch);
  if (!Array.isArray(keys)) throw new IssuerUnusableError('does not give its keys where it says');
}

export function createIssuerDirectory(options: IssuerDirectoryOptions): IssuerDirectory {
  const said = new Map<
    string,
    { readonly metadata: Promise<IssuerMetadata>; readonly atMs: number }
  >();
  const endpointsOf = (issuer: string): EndpointOverrides =>
    options.known.find((candidate) => candidate.issuer === issuer)?.endpoints ?? {};
  /** Concurrent callers share one read of the metadata; an unusable answer is not cached. */
  const asked = (issuer: string): Promise<IssuerMetadata> => {
    const before = said.get(issuer);
    const isKnown = options.known.some((candidate) => candidate.issuer === issuer);
    const metadata = readMetadata(issuer, options);
    said.set(issuer, { metadata, atMs: options.nowMs() });
    return metadata.catch((error: unknown) => {
      if (said.get(issuer)?.metadata === metadata) said.delete(issuer);
      if (before === undefined || !isKnown) throw error;
      said.set(issuer, before);
      return before.metadata;
    });
  };
  const metadataOf = (issuer: string, again = false): Promise<IssuerMetadata> => {
    const last = said.get(issuer);
    const isFresh =
      last !== undefined && options.nowMs() - last.atMs < AUTH_LIMITS.issuerKeysMaxAgeMs;
    return isFresh && !again ? last.metadata : asked(issuer);
  };
  return {
    metadata: metadataOf,
    async defectOf(issuer: string): Promise<string | null> {
      try {
        const { jwksUrl } = await readMetadata(issuer, options);
        await requireKeys(jwksUrl, fetchFor(options, issuer));
        return null;
      } catch (error) {
        if (error instanceof IssuerUnusableError) return error.message;
        throw error;
      }
    },
    async jwksUrl(issuer: string, again = false): Promise<string> {
      return endpointsOf(issuer).jwks_uri ?? (await metadataOf(issuer, again)).jwksUrl;
    },
    async tokenUrl(issuer: string): Promise<string> {
      const named = endpointsOf(issuer).token_endpoint;
      if (named !== undefined) return named;
      const url = textAt((await metadataOf(issuer)).document, 'token_endpoint') ?? '';
      if (isUsable(issuer, url)) return url;
      throw new IssuerUnusableError('does not say where it gives tokens');
    },
    fetchOf: (issuer) => fetchFor(options, issuer),
  };
}
