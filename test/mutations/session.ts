import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DidNotRun } from './did-not-run.ts';
import type { Tree } from './tree.ts';

/** A request to a session. Its paths are absolute. */
export interface SessionRequest {
  readonly files: readonly string[];
  /** The files that differ from what the session has read. */
  readonly changed: readonly string[];
  /** A pattern for the names of tests; if empty, all tests are run. */
  readonly name: string;
}

export interface FileResult {
  readonly path: string;
  /** The names of the tests that failed. */
  readonly failed: readonly string[];
  readonly passed: number;
  /** Whether the file as a whole or one of its tests failed. */
  readonly isBroken: boolean;
}

export type SessionReply =
  | {
      readonly results: readonly FileResult[];
      /** Whether the run is still cleaning up. If so, the session cannot run anything else. */
      readonly isLast: boolean;
    }
  | { readonly error: string };

/** The time after which a run counts as one that never ends. No test file takes as long, even on a busy machine. */
const HANGS_MS = 30 * 60_000;
/**
 * Returns how long each wait of a test may take. If a mistake prevents an event, it never happens, so waits are shorter
 * in a run with a mistake.
 */
const patienceOf = (project: string, bail: number): number => {
  if (bail === 0) return 60_000;
  return project === 'unit' ? 10_000 : 15_000;
};

/**
 * Vitest for one project, in a copy of the sources. It is started once and runs one file after another, because
 * starting it takes more processor time than most of the tests that detect a mistake.
 */
export class Session implements AsyncDisposable {
  readonly project: string;
  /** The files that contained a mistake in the last run and are correct now. */
  #mended: readonly string[] = [];
  readonly #child: ChildProcess;
  readonly #isReady: Promise<readonly FileResult[]>;

  /** @param bail the number of failures after which a run ends; with 0, a run does not end early */
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

  /** Whether the session can run further files. */
  get isUp(): boolean {
    return this.#child.connected && !this.#child.killed;
  }

  /**
   * @param mutated the files in which a mistake has been made
   * @throws DidNotRun if there are no results, because the session has ended
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
