import type { Io } from '../../../src/app/ports/io.ts';

export const NEVER = new AbortController().signal;

/** Time limits for calls that nothing in these tests delays. */
export const IO: Io = { signal: NEVER, deadlineMs: 20_000 };
