import { enableCompileCache, flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/*
 * Loaded before anything else (`node --import`): Node keeps what it has stripped and compiled beside the packages. Half
 * of the time that a process takes to start goes there. Without TypeScript, for that would have to be compiled before
 * there is a cache. A folder that cannot be written costs nothing but the gain.
 */

/** A process that is killed later has kept what it loaded by then. */
const LOADED_MS = 10_000;

enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/tenure', import.meta.url)));
setTimeout(() => flushCompileCache(), LOADED_MS).unref();
