/**
 * How long a test waits for an event that must happen, in milliseconds. A wait ends as soon as the event happens, so a
 * high limit costs nothing if all is well; and a machine with other work may be ten times slower than the one on which
 * this was written. `make mutations` sets a lower limit, because there many awaited events never happen.
 */
export const PATIENCE_MS = Number(process.env['TENURE_TEST_PATIENCE_MS'] ?? 60_000);
