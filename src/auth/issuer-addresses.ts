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

interface Move {
  readonly from: string;
  readonly to: string;
}

/** `url` under `to` instead of under `from`; `null` where it is not under `from`. */
export function moved(url: string, { from, to }: Move): string | null {
  const base = trimmed(from);
  const isUnder = url === base || url.startsWith(`${base}/`) || url.startsWith(`${base}?`);
  return isUnder ? trimmed(to) + url.slice(base.length) : null;
}

/** Moves an address between the origins: many servers have an issuer's endpoints beside the issuer, not under it. */
export const movedBeside = (url: string, { from, to }: Move): string | null =>
  moved(url, { from: new URL(from).origin, to: new URL(to).origin });

/** An address of an authorization server for browsers, whichever of the others it has been given under. */
export function forBrowsers(addresses: readonly IssuerAddress[], url: URL): string {
  for (const move of [moved, movedBeside]) {
    for (const { issuer, endpointUrl, browserUrl: to } of addresses) {
      const at = move(url.href, { from: endpointUrl, to }) ?? move(url.href, { from: issuer, to });
      if (at !== null) return at;
    }
  }
  return url.href;
}
