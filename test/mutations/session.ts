import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DidNotRun } from './did-not-run.ts';
import type { Tree } from './tree.ts';

/** A request to a session. Paths are absolute. */
export interface SessionRequest {
  readonly files: readonly string[];
  /** The files that differ from those that the session has read. */
  readonly changed: readonly string[];
  /** A pattern of the names of tests; empty for all. */
  readonly name: string;
}

export interface FileResult {
  readonly path: string;
  /** The names of the failed tests. */
  readonly failed: readonly string[];
  readonly passed: number;
  /** Whether the file as a whole or one of its tests failed. */
  readonly isBroken: boolean;
}

export type SessionReply =
  | {
      readonly results: readonly FileResult[];
      /** Whether the run is still cleaning up, so that the session cannot run anything else. */
      readonly isLast: boolean;
    }
  | { readonly error: string };

/** Longer than any test file takes on a busy machine. */
const HANGS_MS = 30 * 60_000;
/**
 * Returns the time limit for each wait of a test. An event that a mistake prevents never happens, so a run with a
 * mistake waits for a shorter time.
 */
const patienceOf = (project: string, bail: number): number => {
  if (bail === 0) return 60_000;
  return project === 'unit' ? 10_000 : 15_000;
};

/**
 * Vitest for one project in a tree, which runs one file after another: starting vitest costs more processor time than
 * most of the tests that detect a mistake.
 */
export class Session implements AsyncDisposable {
  readonly project: string;
  /** The files that contained a mistake in the last run, and are correct again. */
  #mended: readonly string[] = [];
  readonly #child: ChildProcess;
  readonly #isReady: Promise<readonly FileResult[]>;

  /** @param bail the number of failures after which a run ends; 0 for no limit */
  constructor(tree: Tree, project: string, bail: number) {
    this.project = project;
    const file = join(tree.path, 'test', 'mutations', 'session-process.ts');
    this.#child = fork(file, [project, String(bail)], {
      cwd: tree.path,
      env: { ...process.env, TENURE_TEST_PATIENCE_MS: String(patienceOf(project, bail)) },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#isReady = this.#reply();
    this.#isReady.catch(() => {});
  }

  /** Whether the session can run more files. */
  get isUp(): boolean {
    return this.#child.connected && !this.#child.killed;
  }

  /**
   * @param mutated the files that contain a mistake now
   * @throws DidNotRun if there are no results, in which case the session has ended
   */
  async run(
    files: readonly string[],
    name: string,
    mutated: readonly string[],
  ): Promise<readonly FileResult[]> {
    await this.#isReady;
    const changed = [...this.#mended, ...mutated];
    this.#mended = mutated;
    const reply = this.#reply();
    this.#child.send({ files, changed, name } satisfies SessionRequest);
    return reply;
  }

  async #reply(): Promise<readonly FileResult[]> {
    const waiting = new AbortController();
    const { signal } = waiting;
    try {
      const reply = await Promise.race([
        once(this.#child, 'message', { signal }).then(([message]) => message as SessionReply),
        once(this.#child, 'exit', { signal }).then(() => ({ error: 'vitest has ended' })),
        sleep(HANGS_MS, { error: 'vitest does not end' }, { signal }),
      ]);
      if ('results' in reply) {
        if (reply.isLast) this.#child.disconnect();
        return reply.results;
      }
      throw new DidNotRun(reply.error);
    } catch (error) {
      this.#child.kill('SIGKILL');
      throw error;
    } finally {
      waiting.abort();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    if (this.#child.connected) this.#child.disconnect();
    await ended;
  }
}
