import type { FaultActs } from './faults/plan.ts';
import { BadFault, FaultConflict } from './faults/rules.ts';
import { Refusal } from './http/plain-errors.ts';
import { removeJournal } from './ledger/journal.ts';
import { LedgerError } from './ledger/ledger-error.ts';
import type { ParticipantName } from './ports.ts';
import { openWorld } from './world.ts';
import type { World, WorldOptions } from './world.ts';

/** One world after the other, at the same ports. */
export class Worlds implements AsyncDisposable {
  #options: WorldOptions;
  #current: World | undefined;
  #isStopped = false;
  #replacing: Promise<World> | undefined;

  private constructor(options: WorldOptions, first: World) {
    // From the second on, the ports are those that the first one was given.
    const { network } = options.ports;
    this.#options = { ...options, ports: { ...first.ports, network } };
    this.#current = first;
  }

  static async open(options: WorldOptions): Promise<Worlds> {
    return new Worlds(options, await openWorld(options));
  }

  /** `undefined` while one takes the place of another. */
  get current(): World | undefined {
    return this.#current;
  }

  /** @throws Refusal when there is none at this moment */
  require(): World {
    if (this.#current === undefined) throw new Refusal(503, 'The network is being replaced');
    return this.#current;
  }

  /**
   * Closes the world, empties its data folder and opens another. When the folder cannot be emptied the same world is
   * opened again, and the reason thrown; when none can be opened, the process has no use any more.
   */
  replace(): Promise<World> {
    if (this.#isStopped || this.#replacing !== undefined) {
      throw new Refusal(409, 'The network is being replaced already');
    }
    const replacing = this.#replace(this.require()).finally(() => (this.#replacing = undefined));
    this.#replacing = replacing;
    return replacing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    await this.#replacing?.catch(() => undefined);
    await this.#current?.[Symbol.asyncDispose]();
  }

  async #replace(old: World): Promise<World> {
    const { dataDir, onFatal } = this.#options;
    this.#current = undefined;
    let failure: unknown;
    try {
      await old[Symbol.asyncDispose]();
      try {
        if (dataDir !== undefined) removeJournal(dataDir);
      } catch (error) {
        failure = error;
      }
      this.#current = await openWorld(this.#options);
    } catch (error) {
      onFatal?.(error);
      throw error;
    }
    if (failure === undefined) return this.#current;
    throw new Refusal(409, `The data folder cannot be emptied: ${reasonOf(failure)}`);
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** What faults do to the world that is there. */
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

/** Prunes, or gives why not. */
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
