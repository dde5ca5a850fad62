/** The latencies that a run has measured, in milliseconds. */
export interface Figures {
  readonly count: number;
  readonly failures: number;
  /** The first error; undefined if there was none. */
  readonly firstError: unknown;
  readonly seconds: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

function figuresOf(
  latencies: readonly number[],
  errors: readonly unknown[],
  seconds: number,
): Figures {
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (q: number) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0;
  return {
    count: sorted.length,
    failures: errors.length,
    firstError: errors[0],
    seconds,
    perSecond: sorted.length / seconds,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    max: at(1),
  };
}

/** Runs `clients` callers. Each of them makes its next call when its previous call has been answered. */
export async function closedLoop(
  clients: number,
  seconds: number,
  call: (client: number) => Promise<void>,
): Promise<Figures> {
  const latencies: number[] = [];
  const errors: unknown[] = [];
  const began = performance.now();
  const until = began + seconds * 1000;
  await Promise.all(
    Array.from({ length: clients }, async (_one, client) => {
      while (performance.now() < until) {
        const at = performance.now();
        try {
          await call(client);
          latencies.push(performance.now() - at);
        } catch (error) {
          errors.push(error);
        }
      }
    }),
  );
  return figuresOf(latencies, errors, (performance.now() - began) / 1000);
}

/**
 * Makes a fixed number of calls per second, however long the answers take. A latency begins at the time at which the
 * call was due. So a slow system cannot hide that calls wait.
 */
export async function openLoop(
  perSecond: number,
  seconds: number,
  call: (n: number) => Promise<void>,
): Promise<Figures> {
  const latencies: number[] = [];
  const errors: unknown[] = [];
  const began = performance.now();
  const total = Math.round(perSecond * seconds);
  const under: Promise<void>[] = [];
  for (let n = 0; n < total; n += 1) {
    const due = began + (n * 1000) / perSecond;
    const wait = due - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    under.push(
      call(n).then(
        () => void latencies.push(performance.now() - due),
        (error: unknown) => void errors.push(error),
      ),
    );
  }
  await Promise.all(under);
  return figuresOf(latencies, errors, (performance.now() - began) / 1000);
}

export const row = (name: string, figures: Figures): string[] => [
  name,
  figures.perSecond.toFixed(0),
  figures.p50.toFixed(1),
  figures.p95.toFixed(1),
  figures.p99.toFixed(1),
  figures.max.toFixed(0),
  String(figures.failures),
];
