import { isJsonRecord, textAt } from '../domain/json.ts';
import type { Json, JsonRecord } from '../domain/json.ts';
import { AUTH_LIMITS } from './limits.ts';
import { AddressNotAllowedError, BodyTooLongError } from './outgoing-fetch.ts';
import type { OutgoingFetch } from './outgoing-fetch.ts';

/** An issuer of the configuration, and where it is reached from here. */
export interface KnownIssuer {
  readonly issuer: string;
  /** Takes the place of the issuer's own address at the beginning of what is asked. */
  readonly endpointUrl: string;
  readonly jwksUrl: string;
}

/** What an issuer says of itself (OpenID Connect Discovery 1.0, section 3), as far as it was looked at. */
export interface IssuerMetadata {
  readonly jwksUrl: string;
  /** As it was sent. */
  readonly document: JsonRecord;
}

/** Nothing can be begun with an issuer. The message is a clause about it, and holds nothing that it sent. */
export class IssuerUnusableError extends Error {
  override readonly name = 'IssuerUnusableError';
}

/** Finds out about issuers, those of the configuration and those that tenants have named. */
export interface IssuerDirectory {
  /** Asks the issuer itself, each time. @throws IssuerUnusableError */
  metadata(issuer: string): Promise<IssuerMetadata>;
  /** Asks likewise, and for its keys. A clause that says why nothing can be begun with the issuer, or `null`. */
  defectOf(issuer: string): Promise<string | null>;
  /** Where its keys are: as configured, or as it said in the last ten minutes. @throws IssuerUnusableError */
  jwksUrl(issuer: string): Promise<string>;
  /**
   * A `fetch` for what an issuer has to do with. It reaches an issuer of the configuration where that is reached from
   * here; everything else is asked only at allowed addresses.
   */
  fetchOf(issuer: string): OutgoingFetch;
}

export interface IssuerDirectoryOptions {
  readonly known: readonly KnownIssuer[];
  /** For what configuration has named. */
  readonly fetch: OutgoingFetch;
  /** For what tenants have named. */
  readonly guardedFetch: OutgoingFetch;
  /** Whether an issuer that a tenant has named may use plain HTTP. */
  readonly allowsHttp: boolean;
  readonly nowMs: () => number;
}

/** What may stand between the issuer's own address and the rest. */
const isUnder = (url: string, base: string): boolean =>
  url === base || url.startsWith(`${base}/`) || url.startsWith(`${base}?`);

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
  const from = trimmed(known.issuer);
  const to = trimmed(known.endpointUrl);
  return (url, init) => {
    const asked = String(url);
    if (isUnder(asked, from)) return options.fetch(`${to}${asked.slice(from.length)}`, init);
    return isUnder(asked, to) ? options.fetch(asked, init) : guardedFetch(asked, init);
  };
}

/** Also when it is the cause of what was thrown. */
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

/** @throws IssuerUnusableError */
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
    throw new IssuerUnusableError(`answered with HTTP ${response.status}${words}`);
  }
  const document = (await response.json()) as Json;
  if (isJsonRecord(document)) return document;
  throw new IssuerUnusableError('did not answer with a JSON object');
}

const isWeb = (text: string): boolean => /^https?:$/u.test(URL.parse(text)?.protocol ?? '');

/** Keys that came over plain HTTP would make TLS toward the issuer worth nothing. */
const isDowngrade = (issuer: string, jwksUrl: string): boolean =>
  issuer.startsWith('https:') && !jwksUrl.startsWith('https:');

async function readMetadata(issuer: string, fetch: OutgoingFetch): Promise<IssuerMetadata> {
  const document = await documentAt(`${trimmed(issuer)}/.well-known/openid-configuration`, fetch);
  if (document['issuer'] !== issuer) throw new IssuerUnusableError('names another issuer');
  const jwksUrl = textAt(document, 'jwks_uri') ?? '';
  if (!isWeb(jwksUrl) || isDowngrade(issuer, jwksUrl)) {
    throw new IssuerUnusableError('does not say where its keys are');
  }
  return { jwksUrl, document };
}

/** @throws IssuerUnusableError */
async function requireKeys(jwksUrl: string, fetch: OutgoingFetch): Promise<void> {
  const { keys } = await documentAt(jwksUrl, fetch);
  if (!Array.isArray(keys)) throw new IssuerUnusableError('does not give its keys where it says');
}

export function createIssuerDirectory(options: IssuerDirectoryOptions): IssuerDirectory {
  const said = new Map<string, { readonly jwksUrl: Promise<string>; readonly atMs: number }>();
  const metadata = (issuer: string): Promise<IssuerMetadata> =>
    readMetadata(issuer, fetchFor(options, issuer));
  /** One question at a time, however many want to know; what went wrong is not remembered. */
  const askedUrl = (issuer: string): Promise<string> => {
    const jwksUrl = metadata(issuer).then((found) => found.jwksUrl);
    said.set(issuer, { jwksUrl, atMs: options.nowMs() });
    jwksUrl.catch(() => {
      if (said.get(issuer)?.jwksUrl === jwksUrl) said.delete(issuer);
    });
    return jwksUrl;
  };
  return {
    metadata,
    async defectOf(issuer: string): Promise<string | null> {
      try {
        const { jwksUrl } = await metadata(issuer);
        await requireKeys(jwksUrl, fetchFor(options, issuer));
        return null;
      } catch (error) {
        if (error instanceof IssuerUnusableError) return error.message;
        throw error;
      }
    },
    async jwksUrl(issuer: string): Promise<string> {
      const known = options.known.find((candidate) => candidate.issuer === issuer);
      if (known !== undefined) return known.jwksUrl;
      const last = said.get(issuer);
      const isFresh =
        last !== undefined && options.nowMs() - last.atMs < AUTH_LIMITS.issuerKeysMaxAgeMs;
      return isFresh ? last.jwksUrl : askedUrl(issuer);
    },
    fetchOf: (issuer) => fetchFor(options, issuer),
  };
}
