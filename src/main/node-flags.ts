import { fileURLToPath } from 'node:url';

/**
 * V8 lets the heap grow to several times the live size before a collection: here by 20 %. New objects get twice 4 MiB,
 * because few of them outlive a collection. One thread moves the survivors: several threads leave gaps on pages of
 * their own, and cost more processor time on few cores.
 */
const SMALL_HEAP = [
  '--heap-growing-percent=20',
  '--max-semi-space-size=4',
  '--no-parallel-scavenge',
];

/** Caches compiled code: the next process starts with half the work. See the file. */
const COMPILE_CACHE = `--import=${fileURLToPath(new URL('compile-cache.mjs', import.meta.url))}`;

/** Node options for processes of this project, several of which share a machine. */
export const NODE_FLAGS: readonly string[] = [...SMALL_HEAP, COMPILE_CACHE];

/**
 * Environment defaults of such processes. The GNU C library keeps memory freed by a thread for that thread, and raises
 * the amount kept by the largest block ever freed, so the memory of a start would never be returned. Other C libraries
 * ignore these settings.
 */
export const NODE_ENVIRONMENT: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};
