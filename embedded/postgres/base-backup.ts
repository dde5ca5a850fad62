import { chown, copyFile, lstat, mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Client } from 'pg';

/*
 * Copies a running cluster through PostgreSQL's low-level backup interface, because the embedded binaries have no
 * pg_basebackup.
 */

/**
 * Folders that are not copied but created empty, because a standby writes their contents itself. A copy of the first
 * folder would also contain the history of earlier timelines.
 */
const LEFT_EMPTY: ReadonlySet<string> = new Set(['pg_wal', 'pg_replslot', 'pg_stat_tmp']);
const LEFT_OUT = /^(postmaster\.(pid|opts)|standby\.signal|backup_label(\.old)?|pgsql_tmp.*)$/u;
const HISTORY = /\.history$/u;

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Whether an error says that a file has disappeared. A file that disappears during the copy is not needed: the
 * write-ahead log restores it.
 */
const isGone = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

async function copyFolder(from: string, to: string, isEmptied: boolean): Promise<string[]> {
  await mkdir(to, { mode: 0o700 });
  const made = [to];
  for (const name of await readdir(from)) {
    if (LEFT_OUT.test(name)) continue;
    const [source, target] = [join(from, name), join(to, name)];
    try {
      const isFolder = (await lstat(source)).isDirectory();
      if (isFolder) {
        made.push(...(await copyFolder(source, target, isEmptied || LEFT_EMPTY.has(name))));
      } else if (!isEmptied || HISTORY.test(name)) {
        await copyFile(source, target);
        made.push(target);
      }
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
  return made;
}

/**
 * Creates a data folder with which a standby of a running server can start.
 *
 * @param owner the owner of the new folder; `null` means the current user
 */
export async function copyOfRunning(
  { url, dataDir }: { readonly url: string; readonly dataDir: string },
  to: string,
  owner: Owner | null,
): Promise<void> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select pg_backup_start($1, true)', [basename(to)]);
    const made = await copyFolder(dataDir, to, false);
    const { rows } = await client.query<{ labelfile: string }>(
      'select labelfile from pg_backup_stop(false)',
    );
    const [label, signal] = [join(to, 'backup_label'), join(to, 'standby.signal')];
    await writeFile(label, rows[0]?.labelfile ?? '');
    await writeFile(signal, '');
    if (owner === null) return;
    for (const path of [...made, label, signal]) await chown(path, owner.uid, owner.gid);
  } finally {
    await client.end();
  }
}
