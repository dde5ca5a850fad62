import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

const TIMES = 300;
const BYTES = 8_192;

/** Measures how long `fdatasync` takes after 8 KiB were added to a file in the folder, in milliseconds. */
export async function syncTimes(folder: string): Promise<{ p50: number; p99: number }> {
  const path = join(folder, 'fdatasync');
  const file = await open(path, 'w');
  const page = Buffer.alloc(BYTES, 1);
  const times: number[] = [];
  for (let n = 0; n < TIMES; n += 1) {
    await file.write(page);
    const began = performance.now();
    await file.datasync();
    times.push(performance.now() - began);
  }
  await file.close();
  await rm(path);
  times.sort((a, b) => a - b);
  const at = (q: number): number => times[Math.floor(q * TIMES)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}
