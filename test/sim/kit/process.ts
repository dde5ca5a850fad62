import { actingFor } from './virtual-clock.ts';
import type { TimerOwner } from './virtual-clock.ts';

type State = 'running' | 'paused' | 'killed';

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/**
 * One life of a simulated operating system process. What it starts, its timers and whatever comes back to it belong to
 * it. `kill -9`: from then on nothing of it happens any more. `SIGSTOP`: nothing of it happens until it goes on, and
 * then everything that was missed happens at once.
 */
export class SimProcess implements TimerOwner {
  readonly name: string;
  /** Its wall clock may be wrong, until somebody puts it right. */
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

  /** What the operating system does when the process is gone: its connections break. */
  onKill(clean: () => void): void {
    this.#onKill.push(clean);
  }

  /** Something from outside reaches the process: a notification, say. */
  tell(news: () => void): void {
    this.#whenRunning(() => this.run(news));
  }

  /**
   * A call of this process to the world outside. `work` runs out there, whatever becomes of the process; its outcome
   * comes back while the process runs.
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

  /** @param soon runs what it is given one after the other, with all that follows from each before the next */
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
