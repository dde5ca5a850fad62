/** LocalNet's tokens are good for 300 s, and what is asked with one may take a while itself. */
const RENEWED_AFTER_MS = 200_000;

/** Returns a function that fetches a new token if the last one is old: a run may be longer than a token is valid. */
export function renewing(fetchAnew: () => Promise<string>): () => Promise<string> {
  let last: { readonly token: Promise<string>; readonly atMs: number } | null = null;
  return () => {
    if (last !== null && performance.now() - last.atMs < RENEWED_AFTER_MS) return last.token;
    const fetched = { token: fetchAnew(), atMs: performance.now() };
    last = fetched;
    // One that could not be fetched is not kept.
    fetched.token.catch(() => {
      if (last === fetched) last = null;
    });
    return fetched.token;
  };
}
