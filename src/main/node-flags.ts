import { fileURLToPath } from 'node:url';

/**
 * V8 lets the heap grow to several times what lives in it before it collects: here by 20 %. New objects have twice 4
 * MiB: few of them outlive a collection. They are moved out of there by one thread: several leave gaps on pages of
 * their own, and cost more processor time where there are few cores.
 */
const SMALL_HEAP = [
  '--heap-growing-percent=20',
  '--max-semi-space-size=4',
  '--no-parallel-scavenge',
];

/** Keeps what Node has compiled: the next process starts with half the work. See there. */
const COMPILE_CACHE = `--import=${fileURLToPath(new URL('compile-cache.mjs', import.meta.url))}`;

/** Options of Node for processes of this project, several of which share a machine. */
export const NODE_FLAGS: readonly string[] = [...SMALL_HEAP, COMPILE_CACHE];

/**
 * Environment of such processes, beneath their own. The GNU C library keeps for a thread what that has freed, and
 * raises what it keeps in all by the largest block that was ever freed: so what a start has used stays. Other C
 * libraries do not look at it.
 */
export const NODE_ENVIRONMENT: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};
