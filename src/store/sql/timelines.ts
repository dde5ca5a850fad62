import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/*
 * Tracks the newest timeline of a database. A promoted standby begins a new timeline with a higher number, and later
 * commits of the old primary are lost. PostgreSQL notifies clients of neither, so each connection asks for its server's
 * timeline, which is compared with the newest one seen.
 *
 * A timeline belongs to a system identifier, which all servers of a cluster share. The first timeline of a cluster is
 * not recorded, because no timeline is older.
 */

/** The cluster of a server and its timeline. */
export interface Standing {
  /** The system identifier, which a primary and its standbys share; `null` if the server does not report it. */
  readonly system: string | null;
  readonly timeline: number;
}

/** A connection on one timeline. It must end when a newer timeline appears. */
export interface Follower {
  readonly standing: Standing;
  giveUp(): void;
}

const FIRST_TIMELINE = 1;

/** The newest timelines that a process has seen, and the connections on each. */
export class Timelines {
  readonly #newest = new Map<string, number>();
  readonly #followers = new Set<Follower>();
  #onNewer: (() => void) | null = null;

  /** Returns the highest timeline that was seen of a cluster, or the first if none was seen. */
  newestOf(system: string): number {
    return this.#newest.get(system) ?? FIRST_TIMELINE;
  }

  isOlder({ system, timeline }: Standing): boolean {
    return system !== null && timeline < this.newestOf(system);
  }

  /** Records a timeline, and ends the connections on older timelines of the same cluster. */
  see({ system, timeline }: Standing): void {
    if (system === null || timeline <= this.newestOf(system)) return;
    this.#newest.set(system, timeline);
    for (const follower of this.#followers) if (this.isOlder(follower.standing)) follower.giveUp();
    this.#onNewer?.();
  }

  follow(follower: Follower): void {
    this.#followers.add(follower);
  }

  leave(follower: Follower): void {
    this.#followers.delete(follower);
  }

  /**
   * Reads the timelines that earlier processes have stored in a file, and stores new timelines there as soon as they
   * appear.
   *
   * @param onFailure called if the file cannot be written: then the next process will not know the timeline
   * @throws Error if the file exists but cannot be read or parsed
   */
  async keepIn(file: string, onFailure: (error: unknown) => void): Promise<void> {
    const recall = async () => {
      for (const [system, timeline] of await readTimelines(file)) this.see({ system, timeline });
    };
    await recall();
    let last: Promise<void> = Promise.resolve();
    const write = async () => {
      // Adds the timelines that another process has stored in the meantime.
      await recall();
      const text = `${JSON.stringify(Object.fromEntries(this.#newest))}\n`;
      await replaceFile(file, text);
    };
    this.#onNewer = () => {
      last = last.then(write).catch(onFailure);
    };
  }
}

/**
 * Replaces a file. Both the text and the name are synced to disk, so that a crash leaves either the old file or the
 * complete new one.
 */
async function replaceFile(path: string, text: string): Promise<void> {
  const folder = dirname(path);
  const beside = `${path}.${randomUUID()}`;
  await mkdir(folder, { recursive: true });
  await using file = await open(beside, 'wx', 0o600);
  await file.writeFile(text);
  await file.sync();
  await rename(beside, path);
  await using directory = await open(folder, 'r');
  await directory.sync();
}

async function readTimelines(file: string): Promise<readonly (readonly [string, number])[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read !== 'object' || read === null) throw new TypeError('no object');
    return Object.entries(read).map(([system, timeline]: [string, unknown]) => {
      if (!Number.isSafeInteger(timeline)) throw new TypeError('no timeline');
      return [system, Number(timeline)] as const;
    });
  } catch (cause) {
    throw new Error(
      `${file} is not a valid timelines file: read its content, then delete the file`,
      { cause },
    );
  }
}

/** The timelines that this process has seen. */
export const TIMELINES = new Timelines();
