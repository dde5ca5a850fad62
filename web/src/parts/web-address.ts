/** An address that data names, where a browser may go there; null for anything else. */
export function webAddress(text: string | null | undefined): string | null {
  const url = text == null ? null : URL.parse(text);
  return url !== null && /^https?:$/u.test(url.protocol) ? url.href : null;
}
