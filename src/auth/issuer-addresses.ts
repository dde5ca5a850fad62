/** An authorization server of the configuration, under its up to three addresses. */
export interface IssuerAddress {
  /** Its name, which is in every token. */
  readonly issuer: string;
  /** Where it is reached from here. */
  readonly endpointUrl: string;
  /** Where browsers reach it. */
  readonly browserUrl: string;
}

const trimmed = (url: string): string => url.replace(/\/$/u, '');

/** `url` under `to` instead of under `from`; `null` where it is not under `from`. */
export function moved(url: string, from: string, to: string): string | null {
  const base = trimmed(from);
  const isUnder = url === base || url.startsWith(`${base}/`) || url.startsWith(`${base}?`);
  return isUnder ? trimmed(to) + url.slice(base.length) : null;
}

/** The same for the origins alone: many servers have an issuer's endpoints beside the issuer, not under it. */
export const movedBeside = (url: string, from: string, to: string): string | null =>
  moved(url, new URL(from).origin, new URL(to).origin);

/** An address of an authorization server for browsers, whichever of the others it has been given under. */
export function forBrowsers(addresses: readonly IssuerAddress[], url: URL): string {
  for (const move of [moved, movedBeside]) {
    for (const { issuer, endpointUrl, browserUrl } of addresses) {
      const at = move(url.href, endpointUrl, browserUrl) ?? move(url.href, issuer, browserUrl);
      if (at !== null) return at;
    }
  }
  return url.href;
}
