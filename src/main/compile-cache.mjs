import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/*
 * Loaded before anything else (`node --import`). Node then stores compiled code, without its types, beside the
 * packages: compiling takes half of the time that a process needs to start. This file is not TypeScript, because it
 * would have to be compiled before there is a cache. If the folder cannot be written, only the gain is lost.
 *
 * Node writes the cache when the process ends. Writing it earlier would block the event loop, for seconds if several
 * processes start without a cache.
 */

enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/tenure', import.meta.url)));
