import { randomUUID } from 'node:crypto';
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pRetry from 'p-retry';
import { EmbeddedPostgresError } from './embedded-error.ts';
import { birthOf } from './process-facts.ts';

interface Claimant {
  readonly pid: number;
  /** Distinguishes this process from a later process with the same ID: see `birthOf`. */
  readonly birth: string;
  readonly claimedAt: string;
}

export interface Claim {
  release(): Promise<void>;
}

/**
 * Random pauses between 25 and 50 ms, so that two processes that see each other's claims do not retry at the same time.
 */
const AGAIN = { retries: 9, factor: 1, minTimeout: 25, randomize: true };

/**
 * Makes this process the only launcher of a data folder, until the claim is released or the process ends.
 *
 * Every launcher writes a file of its own into `claims/`, and then checks whether another live process has a file there
 * too. Because each writes before it checks, at least one of two concurrent launchers sees the other. A launcher that
 * sees another withdraws its claim. As both may have done so, it tries again a few times before it gives up. Files of
 * dead processes are ignored and deleted. A lock file that is created exclusively and removed when stale would be
 * shorter, but two launchers that find it stale at the same time can each remove the other's new file.
 *
 * @throws EmbeddedPostgresError `DATA_DIR_HELD`, which names the process that holds the folder
 */
export async function claimDataDir(dataDir: string, signal: AbortSignal): Promise<Claim> {
  const folder = join(dataDir, 'claims');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const claim = async (): Promise<Claim> => {
    const own = await writeClaim(folder, signal);
    const release = () => rm(join(folder, own), { force: true });
    try {
      const holder = await otherClaimant(folder, own, signal);
      if (holder === null) return { release };
      throw heldBy(holder, dataDir);
    } catch (error) {
      await release();
      throw error;
    }
  };
  return pRetry(claim, {
    ...AGAIN,
    shouldRetry: ({ error }) => error instanceof EmbeddedPostgresError && !signal.aborted,
  });
}

async function writeClaim(folder: string, signal: AbortSignal): Promise<string> {
  const claimant: Claimant = {
    pid: process.pid,
    birth: (await birthOf(process.pid, signal)) ?? '',
    claimedAt: new Date().toISOString(),
  };
  const name = `${process.pid}.${randomUUID()}.json`;
  // The file is renamed into place, so that no process reads an incomplete claim.
  await writeFile(join(folder, `.${name}`), JSON.stringify(claimant), { mode: 0o600 });
  await rename(join(folder, `.${name}`), join(folder, name));
  return name;
}

async function otherClaimant(
  folder: string,
  own: string,
  signal: AbortSignal,
): Promise<Claimant | null> {
  for (const name of await readdir(folder)) {
    if (name === own) continue;
    if (name.startsWith('.')) {
      // Another launcher is still writing this claim, or was killed while it wrote it. In the second case the file is
      // deleted.
      const maker = Number(name.split('.')[1]);
      if ((await birthOf(maker, signal)) === null) await rm(join(folder, name), { force: true });
      continue;
    }
    const claimant = await readClaim(join(folder, name));
    if (claimant === 'gone') continue;
    if (claimant !== null && (await birthOf(claimant.pid, signal)) === claimant.birth)
      return claimant;
    await rm(join(folder, name), { force: true });
  }
  return null;
}

/** Reads the claim in a file. Returns null for a file that contains no claim, which only a damaged disk can cause. */
async function readClaim(path: string): Promise<Claimant | null | 'gone'> {
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) return 'gone';
  try {
    const parsed: unknown = JSON.parse(text);
    return isClaimant(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

function isClaimant(value: unknown): value is Claimant {
  return (
    typeof value === 'object' &&
    value !== null &&
    'pid' in value &&
    Number.isInteger(value.pid) &&
    'birth' in value &&
    typeof value.birth === 'string'
  );
}

function heldBy(holder: Claimant, dataDir: string): EmbeddedPostgresError {
  const who = holder.pid === process.pid ? 'this process' : `process ${holder.pid}`;
  return new EmbeddedPostgresError(
    'DATA_DIR_HELD',
    `${dataDir} has been in use by ${who} since ${holder.claimedAt}: stop that process, or use another data folder`,
  );
}
