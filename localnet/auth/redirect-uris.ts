/**
 * Returns whether a client may redirect a browser to a URI. A pattern is an origin with the port `*`, which permits
 * every port, path and query of that host. The reference application's server only compares the text before the star.
 * This function also parses the URI, because `http://wallet.localhost:1@elsewhere.example` begins with the right text.
 * Characters that parsers treat differently (a backslash, white space) are refused.
 *
 * @param patterns such as `http://wallet.localhost:*`
 */
export function isRegisteredUri(patterns: readonly string[], uri: string): boolean {
  const url = URL.parse(uri);
  if (url === null || url.username !== '' || url.password !== '' || /[#\\\s]/.test(uri))
    return false;
  return patterns.some((pattern) => {
    const prefix = pattern.slice(0, -1);
    return uri.startsWith(prefix) && `${url.protocol}//${url.hostname}:` === prefix;
  });
}
