/*
 * Progress of long work: one line on standard error, which is overwritten. Nothing is shown if standard error is not a
 * terminal.
 */

/** The minimum interval between two updates. */
const PROGRESS_MS = 500;
const TICK_MS = 1_000;
/** The assumed width of a terminal that reports none. */
const COLUMNS = 80;

export interface Progress {
  readonly tell: (what: string) => void;
  /** Removes the line. Call this before writing anything else. */
  readonly clear: () => void;
}

/** Shows nothing if standard error is not a terminal, or if JSON was requested. */
export function progressLine({ json }: { readonly json?: boolean }): Progress {
  const { stderr } = process;
  if (!stderr.isTTY || json === true) return { tell: () => undefined, clear: () => undefined };
  let lastMs = -Infinity;
  return {
    tell: (what) => {
      if (performance.now() - lastMs < PROGRESS_MS) return;
      lastMs = performance.now();
      // Cut to the width of the terminal, because a wrapped line cannot be overwritten.
      stderr.write(`\r\u001B[K${what.slice(0, (stderr.columns || COLUMNS) - 1)}`);
    },
    clear: () => {
      if (lastMs !== -Infinity) stderr.write('\r\u001B[K');
      lastMs = -Infinity;
    },
  };
}

/** Waits for work that does not report its progress, and shows how long it has taken. */
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
