import { setTimeout as wait } from 'node:timers/promises';
import { afterAll } from 'vitest';
import { PATIENCE_MS } from './patience.ts';

/** Vitest sets no time limit for loading a file, so this sets the limit that a hook would have. */
const OPENING_MS_MAX = 3 * PATIENCE_MS;

/**
 * Opens a resource that all tests of a file share. If it is awaited at the top of the file, the resource exists before
 * the first test; it is disposed of after the last one.
 */
export async function forFile<T extends AsyncDisposable>(opening: Promise<T>): Promise<T> {
  const late = wait(OPENING_MS_MAX, undefined, { ref: false }).then(() => {
    throw new Error(`not open after ${OPENING_MS_MAX} ms`);
  });
  const opened = await Promise.race([opening, late]);
  afterAll(() => opened[Symbol.asyncDispose]());
  return opened;
}
