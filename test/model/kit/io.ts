import type { Io } from '../../../src/app/ports/ports.ts';

export const NEVER = new AbortController().signal;

/** Bounds of calls that nothing delays. */
export const IO: Io = { signal: NEVER, deadlineMs: 20_000 };
