import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/*
 * Which history of a database is the newest. A standby that is promoted begins a new timeline, with a higher number,
 * and what the old primary commits from then on is lost. PostgreSQL tells clients of neither; so each
 * connection asks, and what was seen once is held against every server from then on.
 *
 * A timeline belongs to a system identifier, which all servers of one cluster share. The first timeline of a cluster
 * is older than none, so nothing is kept of it.
 */

/** Where a server stands. */
export interface Standing {
  /** Shared by a primary and its standbys; `null` where the server does not tell. */
  readonly system: string | null;
  readonly timeline: number;
}

/** What follows one timeline, and has to end when there is a newer one. */
export interface Follower {
  readonly standing: Standing;
  giveUp(): void;
}

const FIRST_TIMELINE = 1;

/** The newest timelines that a process has seen, and who follows which. */
export class Timelines {
  readonly #newest = new Map<string, number>();
  readonly #followers = new Set<Follower>();
  #onNewer: (() => void) | null = null;

  /** The highest that was seen of a cluster; the first where nothing was. */
  newestOf(system: string): number {
    return this.#newest.get(system) ?? FIRST_TIMELINE;
  }

  isOlder({ system, timeline }: Standing): boolean {
    return system !== null && timeline < this.newestOf(system);
  }

  /** Learns of a timeline. What follows an older one of the same cluster is ended. */
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
   * Recalls what a file says, which processes before this one have written, and keeps in it what is seen from now on.
   *
   * @param onFailure told when the file cannot be written: the next process will not know
   * @throws Error when there is a file that cannot be read or understood
   */
  async keepIn(file: string, onFailure: (error: unknown) => void): Promise<void> {
    const recall = async () => {
      for (const [system, timeline] of await readTimelines(file)) this.see({ system, timeline });
    };
    await recall();
    let last: Promise<void> = Promise.resolve();
    const write = async () => {
      // What another process has seen meanwhile stays.
      await recall();
      const text = `${JSON.stringify(Object.fromEntries(this.#newest))}\n`;
      await replaceFile(file, text);
    };
    this.#onNewer = () => {
      last = last.then(write).catch(onFailure);
    };
  }
}

/** Both text and name are on the disk at the end: a crash leaves what was there before, or all of this. */
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
    throw new Error(`${file} cannot be understood: see what it says, and remove it`, { cause });
  }
}

/** What this process has seen. */
export const TIMELINES = new Timelines();
