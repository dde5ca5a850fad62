/** An authorization server of the configuration, under its up to three addresses. */
export interface IssuerAddress {
  /** Its name, which is in every token. */
  readonly issuer: string;
  /** Where it is reached from here. */
  readonly endpointUrl: string;
  /** Where browsers reach it. */
  readonly browserUrl: string;
}

/** `url` under `to` instead of under `from`; null where it is not under that. */
function moved(url: string, from: string, to: string): string | null {
  const base = from.replace(/\/$/u, '');
  const isUnder = url === base || url.startsWith(`${base}/`) || url.startsWith(`${base}?`);
  return isUnder ? to.replace(/\/$/u, '') + url.slice(base.length) : null;
}

/** An address of an authorization server for browsers, whichever of the others it has been given under. */
export function forBrowsers(addresses: readonly IssuerAddress[], url: URL): string {
  for (const { issuer, endpointUrl, browserUrl } of addresses) {
    const at = moved(url.href, endpointUrl, browserUrl) ?? moved(url.href, issuer, browserUrl);
    if (at !== null) return at;
  }
  return url.href;
}
