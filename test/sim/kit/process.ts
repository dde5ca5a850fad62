import { actingFor } from './virtual-clock.ts';
import type { TimerOwner } from './virtual-clock.ts';

type State = 'running' | 'paused' | 'killed';

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/**
 * One life of a simulated operating system process. Its work, its timers and the answers to its calls belong to it.
 * After `kill -9`, none of them continue. During `SIGSTOP` they wait, and afterwards all of them happen at once.
 */
export class SimProcess implements TimerOwner {
  readonly name: string;
  /** The number of milliseconds by which its wall clock is ahead, until an operator corrects it. */
  skewMs: number;
  #state: State = 'running';
  #backlog: (() => void)[] = [];
  readonly #onKill: (() => void)[] = [];

  constructor(name: string, skewMs: number) {
    this.name = name;
    this.skewMs = skewMs;
  }

  get isKilled(): boolean {
    return this.#state === 'killed';
  }

  get isPaused(): boolean {
    return this.#state === 'paused';
  }

  /** Runs `work` as this process. */
  run<T>(work: () => T): T {
    return actingFor(this, work);
  }

  onTimer(fire: () => void): void {
    this.#whenRunning(fire);
  }

  /**
   * Registers a clean-up that the operating system performs when the process ends, such as breaking its connections.
   */
  onKill(clean: () => void): void {
    this.#onKill.push(clean);
  }

  /** Delivers something to the process from outside, such as a notification. */
  tell(news: () => void): void {
    this.#whenRunning(() => this.run(news));
  }

  /**
   * Makes a call of this process to another system. `work` continues in that system even if the process ends. Its
   * result is returned only while the process runs.
   */
  call<T>(work: () => Promise<T>): Promise<T> {
    if (this.#state === 'killed') return never();
    return new Promise<T>((resolve, reject) => {
      const outside = async (): Promise<void> => {
        try {
          const value = await work();
          this.#whenRunning(() => resolve(value));
        } catch (error) {
          this.#whenRunning(() => reject(error));
        }
      };
      void actingFor(undefined, outside);
    });
  }

  kill(): void {
    if (this.#state === 'killed') return;
    this.#state = 'killed';
    this.#backlog = [];
    for (const clean of this.#onKill.splice(0)) actingFor(undefined, clean);
  }

  pause(): void {
    if (this.#state === 'running') this.#state = 'paused';
  }

  /**
   * Resumes the process. @param soon runs the given functions one after another. All consequences of one function come
   * before the next function
   */
  goOn(soon: (work: () => void) => void): void {
    if (this.#state !== 'paused') return;
    this.#state = 'running';
    for (const missed of this.#backlog.splice(0)) soon(() => this.#whenRunning(missed));
  }

  #whenRunning(work: () => void): void {
    if (this.#state === 'running') work();
    else if (this.#state === 'paused') this.#backlog.push(work);
  }
}
