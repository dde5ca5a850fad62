/*
 * Progress of long work: one line on standard error that is overwritten, if it is a terminal. Programs see nothing of
 * it.
 */

/** It is told this often at most. */
const PROGRESS_MS = 500;
const TICK_MS = 1_000;
/** The width of a terminal that reports none. */
const COLUMNS = 80;

export interface Progress {
  readonly tell: (what: string) => void;
  /** To be called before anything else is written. */
  readonly clear: () => void;
}

/** Shows nothing where standard error is no terminal, or a document was asked for. */
export function progressLine({ json }: { readonly json?: boolean }): Progress {
  const { stderr } = process;
  if (!stderr.isTTY || json === true) return { tell: () => undefined, clear: () => undefined };
  let lastMs = -Infinity;
  return {
    tell: (what) => {
      if (performance.now() - lastMs < PROGRESS_MS) return;
      lastMs = performance.now();
      // A line that is wrapped cannot be overwritten.
      stderr.write(`\r\u001B[K${what.slice(0, (stderr.columns || COLUMNS) - 1)}`);
    },
    clear: () => {
      if (lastMs !== -Infinity) stderr.write('\r\u001B[K');
      lastMs = -Infinity;
    },
  };
}

/** Waits for something that does not say how far it is, and shows for how long. */
export async function whileWaiting<T>(
  what: string,
  work: Promise<T>,
  flags: { readonly json?: boolean } = {},
): Promise<T> {
  const shown = progressLine(flags);
  const beganMs = performance.now();
  const tick = (): void =>
    shown.tell(`${what} (${Math.round((performance.now() - beganMs) / 1_000)} s)`);
  tick();
  const ticking = setInterval(tick, TICK_MS);
  try {
    return await work;
  } finally {
    clearInterval(ticking);
    shown.clear();
  }
}
