import { availableMemory } from 'node:process';
import { fileURLToPath } from 'node:url';
import { givenSettings } from './environment-file.ts';
import { MAIN_LIMITS } from './limits.ts';

/**
 * Size in MiB of the space for new objects; a process uses up to three times as much. The smaller this space is, the
 * more often it is collected.
 */
const NEW_OBJECTS_MIB = { small: 4, large: 16 } as const;

/** @param size the value of `TENURE_MEMORY`; a wrong value is reported when the settings are read */
export function newObjectsMib(size: string, availableBytes: number): number {
  const isLarge =
    size === 'large' || (size !== 'small' && availableBytes >= MAIN_LIMITS.largeFromBytes);
  return NEW_OBJECTS_MIB[isLarge ? 'large' : 'small'];
}

/** Caches compiled code, which halves the work of the next start. See that file. */
const COMPILE_CACHE = `--import=${fileURLToPath(new URL('compile-cache.mjs', import.meta.url))}`;

/**
 * Returns the options of V8. V8 normally lets the heap grow to several times the live size before a collection; here
 * it grows by 20 %. Only one thread copies the objects that survive a collection: several threads would each leave gaps
 * on their own pages, and would cost more processor time on few cores.
 */
export const nodeFlags = (roomMib: number): readonly string[] => [
  '--heap-growing-percent=20',
  `--max-semi-space-size=${roomMib}`,
  '--no-parallel-scavenge',
  COMPILE_CACHE,
];

const { TENURE_MEMORY: memory = 'auto' } = givenSettings(['TENURE_MEMORY']);

/** Node options for the processes of this project, several of which share a machine. */
export const NODE_FLAGS = nodeFlags(newObjectsMib(memory, availableMemory()));

/**
 * Default environment of such processes. The GNU C library keeps the memory that a thread frees for that thread, and
 * raises the amount that it keeps up to the largest block ever freed, so the memory used during a start would never be
 * returned. Other C libraries ignore these settings.
 */
export const NODE_ENVIRONMENT: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};
