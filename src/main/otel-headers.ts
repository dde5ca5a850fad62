/** Parses `name=value`, comma separated, values percent-encoded, in OpenTelemetry's format. */
export function headersIn(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split(',').flatMap((pair) => {
      const at = pair.indexOf('=');
      return at < 1 ? [] : [[pair.slice(0, at).trim(), decodeText(pair.slice(at + 1).trim())]];
    }),
  );
}

/** Returns text that is not validly percent-encoded unchanged. */
function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
