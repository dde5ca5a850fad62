import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/*
 * Loaded before anything else (`node --import`): Node keeps what it has stripped and compiled beside the packages. Half
 * of the time that a process takes to start goes there. Without TypeScript, for that would have to be compiled before
 * there is a cache. A folder that cannot be written costs nothing but the gain.
 *
 * Node writes the cache when the process ends. Writing it earlier would block the event loop: for seconds where several
 * processes start without a cache.
 */

enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/tenure', import.meta.url)));
