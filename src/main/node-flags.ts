import { fileURLToPath } from 'node:url';

/** A small space for new objects halves the memory under load, for a little more time in the collector. */
const SMALL_HEAP = '--max-semi-space-size=8';

/** Keeps what Node has compiled: the next process starts with half the work. See there. */
const COMPILE_CACHE = `--import=${fileURLToPath(new URL('compile-cache.mjs', import.meta.url))}`;

/** Options of Node for processes of this project, several of which share a machine. */
export const NODE_FLAGS: readonly string[] = [SMALL_HEAP, COMPILE_CACHE];
