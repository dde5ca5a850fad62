/**
 * How long a test waits for what must come, in milliseconds. Nothing is waited for longer than it takes, so this costs
 * nothing where all is well; and a machine with other work to do may be ten times slower than the one this was written
 * on. `make mutations` has less of it: there, what never comes is what is looked for.
 */
export const PATIENCE_MS = Number(process.env['TENURE_TEST_PATIENCE_MS'] ?? 60_000);
