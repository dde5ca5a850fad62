import type { WallClock } from '../app/ports/clocks.ts';
import type { Io } from '../app/ports/io.ts';
import type { ParticipantName, Party } from '../domain/ids.ts';
import { trusted } from '../domain/ids.ts';
import { assert } from '../domain/unreachable.ts';
import type { Right } from '../../proto/gen/com/daml/ledger/api/v2/admin/user_management_service.ts';
import type { Participant } from './channel.ts';
import { callOptions } from './channel.ts';

/** The rights of our ledger user on one participant. */
export interface ParticipantRights {
  readonly ledgerUser: string;
  readonly actAs: readonly Party[];
  /** Includes the parties of `actAs`, because acting as a party implies reading as it. */
  readonly readAs: readonly Party[];
}

/** The rights of our ledger users, as last read. */
export interface LedgerRights {
  of(participant: ParticipantName): ParticipantRights;
  /** Reads the rights again, unless they were read within the last `ageMsMax`. @throws LedgerCallError, TokenError */
  refresh(participant: ParticipantName, ageMsMax: number, io: Io): Promise<ParticipantRights>;
}

/** The rights of our ledger user on a participant, read just now or before the last restart of this process. */
export interface ToldRights {
  readonly participant: Participant;
  readonly rights: ParticipantRights;
  readonly isFresh: boolean;
}

/** Starts with the given rights. Rights from before a restart are read again at the first refresh. */
export function createLedgerRights(
  told: readonly ToldRights[],
  wallClock: WallClock,
): LedgerRights {
  const entries = new Map(
    told.map((each) => [each.participant.name, new CachedRights(each, wallClock)] as const),
  );
  const entryOf = (name: ParticipantName): CachedRights => {
    const entry = entries.get(name);
    assert(entry !== undefined, `participant ${name} is configured`);
    return entry;
  };
  return {
    of: (name) => entryOf(name).rights,
    refresh: (name, ageMsMax, { deadlineMs }) => entryOf(name).refresh(ageMsMax, deadlineMs),
  };
}

class CachedRights {
  rights: ParticipantRights;
  readonly #participant: Participant;
  readonly #wallClock: WallClock;
  /** `null` if the rights have not been read since the start of the process. */
  #atMs: number | null;
  /** Concurrent callers share one call, so the call has its own deadline and does not use a caller's signal. */
  #pending: Promise<ParticipantRights> | null = null;

  constructor({ participant, rights, isFresh }: ToldRights, wallClock: WallClock) {
    this.#participant = participant;
    this.#wallClock = wallClock;
    this.rights = rights;
    this.#atMs = isFresh ? wallClock.nowMs() : null;
  }

  async refresh(ageMsMax: number, deadlineMs: number): Promise<ParticipantRights> {
    const atMs = this.#atMs;
    if (atMs !== null && this.#wallClock.nowMs() - atMs < ageMsMax) return this.rights;
    this.#pending ??= this.#read(deadlineMs).finally(() => {
      this.#pending = null;
    });
    return this.#pending;
  }

  async #read(deadlineMs: number): Promise<ParticipantRights> {
    const io: Io = { signal: new AbortController().signal, deadlineMs };
    this.rights = await readRights(this.#participant, io);
    this.#atMs = this.#wallClock.nowMs();
    return this.rights;
  }
}

/**
 * Reads the current rights. Needs only a token of the user, because every user may read its own rights.
 *
 * @throws LedgerCallError, TokenError
 */
export async function readRights(participant: Participant, io: Io): Promise<ParticipantRights> {
  const options = callOptions(io);
  // An empty ID means the user of the token.
  const [{ user }, { rights }] = await Promise.all([
    participant.userManagement.getUser({ userId: '' }, options),
    participant.userManagement.listUserRights({ userId: '' }, options),
  ]);
  assert(user !== undefined, 'a participant that finds our user says who it is');
  const actAs = partiesWith(rights, 'canActAs');
  return {
    ledgerUser: user.id,
    actAs,
    readAs: [...new Set([...actAs, ...partiesWith(rights, 'canReadAs')])],
  };
}

const partiesWith = (rights: readonly Right[], wanted: 'canActAs' | 'canReadAs'): Party[] =>
  rights.flatMap(({ kind }) => (kind?.$case === wanted ? [trusted<Party>(kind.value.party)] : []));
