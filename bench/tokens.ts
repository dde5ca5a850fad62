/**
 * The age at which a token is replaced. LocalNet's tokens are valid for 300 s, and a request with a token may itself
 * take some time.
 */
const RENEWED_AFTER_MS = 200_000;

/**
 * Returns a function that returns a token. If the last token is old, it fetches a new one, because a run may take
 * longer than a token is valid.
 */
export function renewing(fetchAnew: () => Promise<string>): () => Promise<string> {
  let last: { readonly token: Promise<string>; readonly atMs: number } | null = null;
  return () => {
    if (last !== null && performance.now() - last.atMs < RENEWED_AFTER_MS) return last.token;
    const fetched = { token: fetchAnew(), atMs: performance.now() };
    last = fetched;
    // If fetching a token fails, the failure is not kept.
    fetched.token.catch(() => {
      if (last === fetched) last = null;
    });
    return fetched.token;
  };
}
