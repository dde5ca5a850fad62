import { setTimeout as sleep } from 'node:timers/promises';
import type { LedgerControl } from './ledger-control.ts';
import type { Load } from './load.ts';
import type { Records } from './records.ts';
import type { Act, FaultKind, ParticipantOfChaos } from './script.ts';
import type { PlaceName } from './sizes.ts';
import { roleAt } from './sizes.ts';
import { isStoreAct, StoreActs } from './store-acts.ts';
import type { Member, World } from './world.ts';

/** An act that was performed or an event that occurred, with its time on the clock of the records. */
export interface Happening {
  readonly atMs: number;
  readonly kind: FaultKind | 'ended-by-itself' | 'did-not-start';
  /** The role or service that was affected. */
  readonly to: string;
  /** How long a stop in order took. */
  readonly tookMs?: number;
}

export interface DirectorParts {
  readonly world: World;
  readonly records: Records;
  readonly control: LedgerControl;
  /** Returns the load, which sends many requests at once; absent if the run has no load. */
  readonly callers?: () => Pick<Load, 'flood' | 'crowd'>;
  /** When this signal is aborted, no new act is begun, and everything ends. */
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** LocalNet's names for the faults that stand for these kinds of acts. */
const AS_FAULT = {
  'ledger-behind': 'behind',
  'ledger-stopped': 'stopped',
  'ledger-away': 'down',
} as const;

/**
 * How long the director waits for a stop. It is longer than the promised 10 s, so that a stop that takes too long can
 * be measured.
 */
const STOP_MS_MAX = 15_000;
const AGAIN_MS = 500;

/**
 * Runs a process in each place and restarts it as a supervisor would, and performs the acts of a script on these
 * processes.
 */
export class Director {
  readonly happenings: Happening[] = [];
  readonly #parts: DirectorParts;
  /** Places in which no process may be started at present. Each promise resolves when one may be started again. */
  readonly #away = new Map<string, Promise<unknown>>();
  readonly #acts = new Set<Promise<void>>();
  readonly #keepers: Promise<void>[] = [];
  readonly #healed = new AbortController();
  readonly #stores: StoreActs;
  #isStopping = false;

  constructor(parts: DirectorParts) {
    this.#parts = parts;
    const { stores } = parts.world;
    this.#stores = new StoreActs({ stores, last: (ms) => this.#last(ms) });
  }

  /** Starts a process in every place. Resolves when all processes are ready. @throws Error if one does not start */
  async begin(): Promise<void> {
    const { world } = this.#parts;
    await Promise.all(world.members.map((member) => member.start()));
    for (const member of world.members) this.#keepers.push(this.#keep(member));
  }

  /** Begins an act without waiting for its end. */
  do(act: Act): void {
    const { say, signal } = this.#parts;
    const doing = this.#do(act).catch((error: unknown) => {
      if (!signal.aborted) say(`${act.kind} could not be done: ${String(error)}`);
    });
    this.#acts.add(doing);
    void doing.finally(() => this.#acts.delete(doing));
  }

  /** Ends all faults: stopped processes run again, and all proxies forward their connections again. */
  async heal(): Promise<void> {
    this.#healed.abort();
    await Promise.all(this.#acts);
    await this.#stores.whole();
    await this.#parts.control.endAll();
    for (const way of this.#parts.world.members.flatMap(({ ways }) => Object.values(ways))) {
      way.pass();
      way.slow(0);
    }
  }

  /** Stops every process in order. @returns how long each process took, milliseconds */
  async stop(): Promise<readonly { readonly place: string; readonly tookMs: number }[]> {
    this.#isStopping = true;
    const running = this.#parts.world.members.filter(({ process: one }) => one?.hasEnded === false);
    return Promise.all(
      running.map(async (member) => {
        const began = performance.now();
        await member.process?.end('SIGTERM', STOP_MS_MAX);
        return { place: member.name, tookMs: performance.now() - began };
      }),
    );
  }

  /** Kills every process, does the work, and then lets the processes be started again. */
  withoutProcesses(work: () => Promise<void>): Promise<void> {
    return this.#restart(this.#parts.world.members, work, 'SIGKILL');
  }

  #note(kind: Happening['kind'], to: string, tookMs?: number): void {
    const atMs = this.#parts.records.nowMs();
    this.happenings.push({ atMs, kind, to, ...(tookMs === undefined ? {} : { tookMs }) });
  }

  /** Starts a process in the place whenever there is none, unless the place must stay empty for the moment. */
  async #keep(member: Member): Promise<void> {
    while (!this.#isOver()) {
      await member.process?.ended;
      if (this.#isOver()) return;
      const away = this.#away.get(member.name);
      if (away === undefined) this.#note('ended-by-itself', roleAt(member.name));
      await away;
      await this.#refill(member);
    }
  }

  #isOver(): boolean {
    return this.#isStopping || this.#parts.signal.aborted;
  }

  /** Tries to start a process until this succeeds, because a service that the process needs may be down. */
  async #refill(member: Member): Promise<void> {
    const { signal, say } = this.#parts;
    while (!this.#isOver()) {
      try {
        await member.start();
        return;
      } catch (error) {
        if (this.#isOver()) return;
        this.#note('did-not-start', roleAt(member.name));
        say(String(error));
        await sleep(AGAIN_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  #place(name: PlaceName): Member {
    const member = this.#parts.world.members.find((one) => one.name === name);
    if (member === undefined) throw new Error(`no place is called ${name}`);
    return member;
  }

  /** Waits for the duration of a fault, or until all faults are ended. */
  async #last(ms: number): Promise<void> {
    const signal = AbortSignal.any([this.#healed.signal, this.#parts.signal]);
    await sleep(ms, undefined, { signal }).catch(() => undefined);
  }

  async #do(act: Act): Promise<void> {
    const { world, control } = this.#parts;
    const noteWithheld = () => control.noteWithheld().catch(() => undefined);
    if (isStoreAct(act)) {
      this.#note(act.kind, this.#stores.target(act));
      return this.#stores.do(act);
    }
    switch (act.kind) {
      case 'kill':
      case 'stop':
        return this.#end(act);
      case 'pause': {
        const member = this.#place(act.place);
        this.#note(act.kind, roleAt(member.name));
        member.process?.signal('SIGSTOP');
        await this.#last(act.ms);
        member.process?.signal('SIGCONT');
        return undefined;
      }
      case 'cut':
      case 'lose-answer':
      case 'refuse':
      case 'freeze':
      case 'slow':
        return this.#onWay(act);
      case 'flood':
        this.#note(act.kind, 'api');
        return this.#parts.callers?.().flood(act.count);
      case 'crowd':
        this.#note(act.kind, 'projector');
        return this.#parts.callers?.().crowd(act.count);
      case 'ledger-kill':
        this.#note(act.kind, 'participant');
        return world.restartLocalnet(this.#healed.signal.aborted ? 0 : act.ms, noteWithheld);
      case 'ledger-older':
        this.#note(act.kind, 'participant');
        return world.replaceLocalnet(this.#healed.signal.aborted ? 0 : act.ms, noteWithheld);
      case 'ledger-pause':
        this.#note(act.kind, 'participant');
        return world.pauseLocalnet(act.ms);
      case 'ledger-faults':
        this.#note(act.kind, 'participant');
        await control.begin({ seed: act.seed, seconds: act.ms / 1_000 });
        await this.#last(act.ms);
        return control.noteWithheld();
      case 'ledger-streams':
        this.#note(act.kind, 'participant');
        return control.begin({ kind: 'cut', how: 'reset', times: 10, seconds: 1 });
      case 'ledger-behind':
      case 'ledger-stopped':
      case 'ledger-away':
        this.#note(act.kind, 'participant');
        return this.#stall(AS_FAULT[act.kind], act.participant, act.ms);
      case 'ledger-traffic':
        this.#note(act.kind, 'participant');
        return this.#withoutTraffic(act.participant, act.ms);
      case 'rotate':
        this.#note(act.kind, 'participant');
        return this.#rotate();
      case 'tokens':
        this.#note(act.kind, 'participant');
        await control.begin({ kind: 'cut', code: 'ACCESS_TOKEN_EXPIRED', seconds: 1 });
        return control.begin({ kind: 'error', code: 'UNAUTHENTICATED', times: 1, seconds: 5 });
      default:
        return act satisfies never;
    }
  }

  async #end(act: Extract<Act, { readonly kind: 'kill' | 'stop' }>): Promise<void> {
    const member = this.#place(act.place);
    const { process: running } = member;
    if (running === null || running.hasEnded) return;
    const back = Promise.withResolvers<void>();
    this.#away.set(act.place, back.promise);
    try {
      const began = performance.now();
      if (act.kind === 'kill') this.#note(act.kind, roleAt(act.place));
      await running.end(act.kind === 'kill' ? 'SIGKILL' : 'SIGTERM', STOP_MS_MAX);
      if (act.kind === 'kill') await this.#last(act.ms);
      else this.#note(act.kind, roleAt(act.place), performance.now() - began);
    } finally {
      this.#away.delete(act.place);
      back.resolve();
    }
  }

  async #stall(
    kind: (typeof AS_FAULT)[keyof typeof AS_FAULT],
    participant: ParticipantOfChaos,
    ms: number,
  ): Promise<void> {
    await this.#parts.control.begin({ kind, where: { participant }, seconds: ms / 1_000 });
    await this.#last(ms);
  }

  async #withoutTraffic(participant: ParticipantOfChaos, ms: number): Promise<void> {
    const { control } = this.#parts;
    await control.limitTraffic(participant, 0);
    await this.#last(ms);
    await control.limitTraffic(participant, null);
  }

  /**
   * Restarts the projectors first, so that they read the completions of everything that the new ledger user submits.
   */
  async #rotate(): Promise<void> {
    const { world } = this.#parts;
    const isFollower = ({ name }: Member) => roleAt(name) === 'projector';
    await this.#restart(world.members.filter(isFollower), async () => world.rotateUser());
    for (const member of world.members) if (!isFollower(member)) await this.#restart([member]);
  }

  async #restart(
    members: readonly Member[],
    whileAway: () => Promise<void> = () => Promise.resolve(),
    how: 'SIGTERM' | 'SIGKILL' = 'SIGTERM',
  ): Promise<void> {
    const back = Promise.withResolvers<void>();
    for (const { name } of members) this.#away.set(name, back.promise);
    try {
      await Promise.all(members.map(async ({ process: one }) => one?.end(how, STOP_MS_MAX)));
      await whileAway();
    } finally {
      for (const { name } of members) this.#away.delete(name);
      back.resolve();
    }
  }

  async #onWay(
    act: Extract<Act, { readonly kind: 'cut' | 'lose-answer' | 'refuse' | 'freeze' | 'slow' }>,
  ): Promise<void> {
    const { stores } = this.#parts.world;
    // The answer that gets lost must come from the server that takes writes.
    const isOther = act.kind === 'lose-answer' && stores.pair?.primaryIndex === 1;
    const way = this.#place(act.place).ways[isOther ? 'postgres-2' : act.service];
    this.#note(act.kind, `${roleAt(act.place)} to ${act.service}`);
    switch (act.kind) {
      case 'cut':
        way.cut();
        break;
      case 'lose-answer':
        void way.cutAt('before-answer', 'COMMIT');
        break;
      case 'refuse':
        way.refuse();
        await this.#last(act.ms);
        way.pass();
        break;
      case 'freeze':
        way.swallow();
        await this.#last(act.ms);
        way.pass();
        break;
      case 'slow':
        way.slow(act.delayMs);
        await this.#last(act.ms);
        way.slow(0);
        break;
      default:
        act satisfies never;
    }
  }
}
