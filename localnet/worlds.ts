import type { FaultActs } from './faults/plan.ts';
import { BadFault, FaultConflict } from './faults/rules.ts';
import { Refusal } from './http/plain-errors.ts';
import { hasJournal, removeJournal, writeJournal } from './ledger/journal.ts';
import { LedgerError } from './ledger/ledger-error.ts';
import type { ParticipantName } from './ports.ts';
import { isPortTaken, reopenOn } from './same-port.ts';
import { openWorld } from './world.ts';
import type { World, WorldOptions } from './world.ts';

/** A sequence of worlds, each of which replaces the previous one at the same ports. */
export class Worlds implements AsyncDisposable {
  #options: WorldOptions;
  #current: World | undefined;
  readonly #stopped = new AbortController();
  #replacing: Promise<World> | undefined;

  private constructor(options: WorldOptions, first: World) {
    // The ports of the first world are also those of the later worlds.
    const { network } = options.ports;
    this.#options = { ...options, ports: { ...first.ports, network } };
    this.#current = first;
  }

  /** @throws Error if a history is given although the data folder already has a ledger */
  static async open(options: WorldOptions): Promise<Worlds> {
    const { dataDir, history } = options;
    if (dataDir !== undefined && history !== undefined) {
      if (hasJournal(dataDir)) throw new Error(`${dataDir} has a ledger already`);
      writeJournal(dataDir, history);
    }
    return new Worlds(options, await openWorld(options));
  }

  /** The running world; `undefined` while one world replaces another. */
  get current(): World | undefined {
    return this.#current;
  }

  /** Returns the running world. @throws Refusal while no world runs */
  require(): World {
    if (this.#current === undefined) throw new Refusal(503, 'The network is being replaced');
    return this.#current;
  }

  /**
   * Closes the world, empties its data folder and opens a new world. If the folder cannot be emptied, the old world is
   * opened again and the reason is thrown. If no world can be opened, the process cannot continue.
   *
   * @param history the initial history of the new world. @default none
   */
  replace(history?: Uint8Array): Promise<World> {
    if (this.#stopped.signal.aborted || this.#replacing !== undefined) {
      throw new Refusal(409, 'The network is being replaced already');
    }
    const replacing = this.#replace(this.require(), history).finally(
      () => (this.#replacing = undefined),
    );
    this.#replacing = replacing;
    return replacing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort();
    await this.#replacing?.catch(() => undefined);
    await this.#current?.[Symbol.asyncDispose]();
  }

  async #replace(old: World, history: Uint8Array | undefined): Promise<World> {
    this.#current = undefined;
    // The current history is kept in memory, in case the new one proves unreadable.
    const before = history === undefined ? undefined : old.network.history();
    let failure: string | undefined;
    try {
      await old[Symbol.asyncDispose]();
      failure = this.#beginWith(history);
      try {
        this.#current = await this.#reopen();
      } catch (error) {
        if (before === undefined || isPortTaken(error)) throw error;
        failure = `The history cannot be read: ${reasonOf(error)}`;
        this.#beginWith(before);
        this.#current = await this.#reopen();
      }
    } catch (error) {
      if (!this.#stopped.signal.aborted) this.#options.onFatal?.(error);
      throw error;
    }
    if (failure === undefined) return this.#current;
    throw new Refusal(409, failure);
  }

  #reopen(): Promise<World> {
    return reopenOn(() => openWorld(this.#options), this.#stopped.signal);
  }

  /** Sets the history with which the next world begins. Returns the reason if the data folder could not be changed. */
  #beginWith(history: Uint8Array | undefined): string | undefined {
    const { history: _history, ...options } = this.#options;
    const { dataDir } = options;
    if (dataDir === undefined) {
      this.#options = history === undefined ? options : { ...options, history };
      return undefined;
    }
    try {
      if (history === undefined) removeJournal(dataDir);
      else writeJournal(dataDir, history);
      return undefined;
    } catch (error) {
      return `The data folder cannot be emptied: ${reasonOf(error)}`;
    }
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Returns the functions through which faults affect the current world. */
export function actsOn(current: () => World | undefined): FaultActs {
  const world = (): World => {
    const found = current();
    if (found === undefined) throw new FaultConflict('the network is being replaced');
    return found;
  };
  const named = (participant: ParticipantName | undefined): readonly ParticipantName[] =>
    participant === undefined
      ? world().network.participantNames
      : [world().network.participants[participant].name];
  return {
    restart: (participant, downMs) => {
      const isDone = named(participant).map((name) => world().restart(name, downMs));
      if (!isDone.includes(true)) throw new FaultConflict('it is down already');
    },
    prune: (participant, upTo) => {
      const refusals = named(participant).flatMap((name) => refusalOfPruning(world(), name, upTo));
      const [first] = refusals;
      if (first !== undefined && refusals.length === named(participant).length) throw first;
    },
    settle: () => current()?.settle(),
    moveClock: () => {
      const { network } = world();
      if (network.isTimeStatic) {
        throw new FaultConflict('time is static here: set it with /control/time');
      }
      network.moveClock();
    },
  };
}

/** Prunes a participant. Returns the reason if the participant refuses this. */
function refusalOfPruning(
  world: World,
  name: ParticipantName,
  upTo: string | undefined,
): readonly Error[] {
  const participant = world.network.participants[name];
  try {
    participant.prune(upTo === undefined ? participant.ledgerEnd() - 1n : BigInt(upTo));
    return [];
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    const isBad = error.code === 'OFFSET_OUT_OF_RANGE';
    return [isBad ? new BadFault(error.text) : new FaultConflict(error.text)];
  }
}
