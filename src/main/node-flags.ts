import { availableMemory } from 'node:process';
import { fileURLToPath } from 'node:url';
import { givenSettings } from './environment-file.ts';
import { MAIN_LIMITS } from './limits.ts';

/**
 * Room for new objects, of which a process has up to three times as much. The less room, the more often they are
 * collected.
 */
const NEW_OBJECTS_MIB = { small: 4, large: 16 } as const;

/** @param size `TENURE_MEMORY`; a wrong value is reported when the settings are read */
export function newObjectsMib(size: string, availableBytes: number): number {
  const isLarge =
    size === 'large' || (size !== 'small' && availableBytes >= MAIN_LIMITS.largeFromBytes);
  return NEW_OBJECTS_MIB[isLarge ? 'large' : 'small'];
}

/** Caches compiled code: the next process starts with half the work. See the file. */
const COMPILE_CACHE = `--import=${fileURLToPath(new URL('compile-cache.mjs', import.meta.url))}`;

/**
 * V8 lets the heap grow to several times the live size before a collection: here by 20 %. One thread moves the
 * survivors of a collection: several threads leave gaps on pages of their own, and cost more processor time on few
 * cores.
 */
export const nodeFlags = (roomMib: number): readonly string[] => [
  '--heap-growing-percent=20',
  `--max-semi-space-size=${roomMib}`,
  '--no-parallel-scavenge',
  COMPILE_CACHE,
];

const { TENURE_MEMORY: memory = 'auto' } = givenSettings(['TENURE_MEMORY']);

/** Node options for processes of this project, several of which share a machine. */
export const NODE_FLAGS = nodeFlags(newObjectsMib(memory, availableMemory()));

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
