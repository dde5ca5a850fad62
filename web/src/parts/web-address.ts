/** Parses an address from data. Returns null unless a browser can open it. */
export function webAddress(text: string | null | undefined): string | null {
  const url = text == null ? null : URL.parse(text);
  return url !== null && /^https?:$/u.test(url.protocol) ? url.href : null;
}
