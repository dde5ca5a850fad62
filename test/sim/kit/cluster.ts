import type { StepPoint } from '../memory/hooks.ts';
import { connectionLost } from '../memory/database-error.ts';
import type { SimProcess } from './process.ts';
import { startSchedulerRole } from './scheduler-role.ts';
import type { Api, Life, Plants, Running } from './roles.ts';
import { startApi, startProjectorRole, startWorkerRole } from './roles.ts';
import { actingFor } from './virtual-clock.ts';
import type { World } from './world.ts';

/** The processes of Tenure and their roles, as in a deployment in which two processes have each role. */
const MEMBERS = {
  'api-1': startApi,
  'api-2': startApi,
  'worker-1': startWorkerRole,
  'worker-2': startWorkerRole,
  'projector-1': startProjectorRole,
  'projector-2': startProjectorRole,
  'clock-1': startSchedulerRole,
  'clock-2': startSchedulerRole,
} as const;
export type MemberName = keyof typeof MEMBERS;
export const MEMBER_NAMES = Object.keys(MEMBERS) as MemberName[];

interface Member {
  readonly life: Life;
  /** The running parts of the process; `null` while the process starts. */
  running: Running | null;
}

/** The result of a call to an API process. */
export type Called<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'error'; readonly error: unknown }
  /** There was no answer, because the process was killed or is not running. */
  | { readonly kind: 'gone' };

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/** The processes of one deployment. Knows which of them run, and kills and restarts them. */
export class Cluster {
  readonly #world: World;
  readonly #plants: Plants;
  readonly #members = new Map<MemberName, Member>();
  #lives = 0;

  constructor(world: World, plants: Plants) {
    this.#world = world;
    this.#plants = plants;
  }

  startAll(): void {
    for (const name of MEMBER_NAMES) this.#start(name);
  }

  processOf(name: MemberName): SimProcess | undefined {
    return this.#members.get(name)?.life.process;
  }

  /** Kills a process. After a while, the supervisor starts it again. */
  kill(name: MemberName): void {
    const process = this.processOf(name);
    if (process !== undefined) this.#world.kill(process, 'at some moment');
  }

  /** Stops a process and starts it again, as a supervisor does, even if the process is still starting. */
  async restart(name: MemberName): Promise<void> {
    const member = this.#members.get(name);
    if (member === undefined || member.life.process.isKilled) return;
    const { process, database } = member.life;
    const stopped = process.run(() => member.running?.stop());
    await Promise.race([stopped, this.#world.clock.pass(15_000)]);
    this.#world.trace.add(process.name, 'stopped');
    database.kill();
    if (!process.isKilled) this.#world.kill(process, 'after it was stopped');
  }

  /** Breaks the connections of all processes to the database. */
  cutDatabase(): void {
    for (const { life } of this.#members.values()) life.database.cut();
  }

  async callApi<T>(ask: (api: Api) => Promise<T>, giveUpMs: number): Promise<Called<T>> {
    const { clock, random, weather } = this.#world;
    const name = random.pick(['api-1', 'api-2'] as const);
    await clock.pass(weather.hopMs());
    const member = this.#members.get(name);
    const running = member?.running;
    if (member === undefined || running == null) return { kind: 'gone' };
    const { process } = member.life;
    const died = new Promise<Called<T>>((resolve) => {
      process.onKill(() => resolve({ kind: 'gone' }));
    });
    const answered = new Promise<Called<T>>((resolve) => {
      process.tell(() => {
        ask(running as Api).then(
          (value) => resolve({ kind: 'value', value }),
          (error: unknown) => resolve({ kind: 'error', error }),
        );
      });
    });
    const late = clock.pass(giveUpMs).then((): Called<T> => ({ kind: 'gone' }));
    const called = await Promise.race([answered, died, late]);
    await clock.pass(weather.hopMs());
    return called;
  }

  #start(name: MemberName): void {
    const world = this.#world;
    this.#lives += 1;
    const process = world.newProcess(`${name}#${this.#lives}`, () => {
      life.database.kill();
      life.queue.kill();
      this.#members.delete(name);
      world.clock.set(() => this.#start(name), world.random.between(50, 3_000));
    });
    const hooks = {
      step: (point: StepPoint) => this.#step(name, process, point),
      after: (ms: number, run: () => void) => {
        const timer = setTimeout(run, ms);
        return () => clearTimeout(timer);
      },
    };
    const life: Life = {
      world,
      process,
      database: world.database.connect(process.name, hooks),
      queue: world.queue.connect(process.name, hooks),
      plants: this.#plants,
    };
    const member: Member = { life, running: null };
    this.#members.set(name, member);
    const begin = async (): Promise<void> => {
      try {
        member.running = await MEMBERS[name](life);
      } catch (error) {
        world.bugs.push(`${process.name} did not start: ${String(error)}`);
      }
    };
    void process.run(begin);
  }

  /** Applies the planned fault of a process at one step of its work with database or queue. */
  #step(name: MemberName, process: SimProcess, point: StepPoint): Promise<void> {
    const { weather, clock } = this.#world;
    if (weather.strikes('kill-at-step', `${name.slice(0, -2)} ${point.call} ${point.at}`)) {
      this.#world.kill(process, `at ${point.call} ${point.at}`);
      return never();
    }
    if (weather.strikes('pause-at-step', `${name.slice(0, -2)} ${point.call} ${point.at}`)) {
      void actingFor(undefined, () => this.#world.pause(process, `at ${point.call} ${point.at}`));
    }
    return process.call(async () => {
      await clock.pass(this.#stepMs(point));
      this.#mayBreak(point);
    });
  }

  #stepMs(point: StepPoint): number {
    const { weather } = this.#world;
    if (point.at === 'repeat') return weather.random.between(0, 8);
    if (weather.strikes('database-slow')) return weather.random.between(50, 3_000);
    return weather.random.between(0.02, 0.5);
  }

  /** @throws DatabaseUnreachableError if the connection is lost at this step */
  #mayBreak({ call, at }: StepPoint): void {
    const { weather, isDatabaseAway, isQueueAway } = this.#world;
    const isQueue = call.startsWith('queue.');
    if (isQueue ? isQueueAway : isDatabaseAway) throw connectionLost('it is away');
    const fault = isQueue ? queueFault(at) : databaseFault(at);
    if (fault !== null && weather.strikes(fault)) throw connectionLost('the weather');
  }
}

const queueFault = (at: StepPoint['at']) =>
  at === 'after' ? 'queue-lost-after' : at === 'before' ? 'queue-lost-before' : null;

function databaseFault(at: StepPoint['at']) {
  if (at === 'before') return 'database-lost-before';
  if (at === 'before-commit') return 'database-lost-before-commit';
  return at === 'after' ? 'database-lost-after-commit' : null;
}
