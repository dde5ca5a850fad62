/** An authorization server of the configuration, with its up to three addresses. */
export interface IssuerAddress {
  /** The issuer's name, which is in every token. */
  readonly issuer: string;
  /** Where Tenure reaches the issuer. */
  readonly endpointUrl: string;
  /** Where browsers reach the issuer. */
  readonly browserUrl: string;
}

const trimmed = (url: string): string => url.replace(/\/$/u, '');

interface Move {
  readonly from: string;
  readonly to: string;
}

/** Replaces the prefix `from` of `url` by `to`; `null` where `url` is not under `from`. */
export function moved(url: string, { from, to }: Move): string | null {
  const base = trimmed(from);
  const isUnder = url === base || url.startsWith(`${base}/`) || url.startsWith(`${base}?`);
  return isUnder ? trimmed(to) + url.slice(base.length) : null;
}

/** Replaces the origin of an address: many servers have an issuer's endpoints beside the issuer, not under it. */
export const movedBeside = (url: string, { from, to }: Move): string | null =>
  moved(url, { from: new URL(from).origin, to: new URL(to).origin });

/** Returns the browsers' address of an authorization server's URL, whichever of its addresses the URL uses. */
export function forBrowsers(addresses: readonly IssuerAddress[], url: URL): string {
  for (const move of [moved, movedBeside]) {
    for (const { issuer, endpointUrl, browserUrl: to } of addresses) {
      const at = move(url.href, { from: endpointUrl, to }) ?? move(url.href, { from: issuer, to });
      if (at !== null) return at;
    }
  }
  return url.href;
}
