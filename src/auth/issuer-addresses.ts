/** A configured authorization server, with its name and its addresses for Tenure and for browsers. */
export interface IssuerAddress {
  /** The issuer's name, which every token of the issuer contains. */
  readonly issuer: string;
  /** The address at which Tenure reaches the issuer. */
  readonly endpointUrl: string;
  /** The address at which browsers reach the issuer. */
  readonly browserUrl: string;
}

const trimmed = (url: string): string => url.replace(/\/$/u, '');

interface Move {
  readonly from: string;
  readonly to: string;
}

/** Replaces the prefix `from` of `url` by `to`. Returns `null` if `url` does not begin with `from`. */
export function moved(url: string, { from, to }: Move): string | null {
  const base = trimmed(from);
  const isUnder = url === base || url.startsWith(`${base}/`) || url.startsWith(`${base}?`);
  return isUnder ? trimmed(to) + url.slice(base.length) : null;
}

/**
 * Replaces the origin of a URL: many servers have an issuer's endpoints at the issuer's origin, but not below the
 * issuer's path.
 */
export const movedBeside = (url: string, { from, to }: Move): string | null =>
  moved(url, { from: new URL(from).origin, to: new URL(to).origin });

/** Returns the address at which browsers reach a URL of an authorization server, given any address of the server. */
export function forBrowsers(addresses: readonly IssuerAddress[], url: URL): string {
  for (const move of [moved, movedBeside]) {
    for (const { issuer, endpointUrl, browserUrl: to } of addresses) {
      const at = move(url.href, { from: endpointUrl, to }) ?? move(url.href, { from: issuer, to });
      if (at !== null) return at;
    }
  }
  return url.href;
}
