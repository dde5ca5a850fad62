import type { LedgerClock, WallClock } from '../app/ports/clocks.ts';
import type { Io } from '../app/ports/io.ts';
import type { ParticipantName, Party } from '../domain/ids.ts';
import { LEDGER_LIMITS } from './limits.ts';
import { LIMITS } from '../domain/limits.ts';
import { assert } from '../domain/unreachable.ts';
import { TYPES_NOT_KNOWN } from '../domain/ledger-codes.ts';
import type { FeaturesDescriptor } from '../../proto/gen/com/daml/ledger/api/v2/version_service.ts';
import type { Participant } from './channel.ts';
import { callOptions } from './channel.ts';
import type { Wanted } from './formats.ts';
import { updateFormat } from './formats.ts';
import { timestampToMicros } from './instants.ts';
import { createStaticLedgerClock, createWallLedgerClock, readStaticTime } from './ledger-clock.ts';
import { classify } from './outcome.ts';
import type { LedgerRights, ParticipantRights } from './rights.ts';
import { createLedgerRights, readRights } from './rights.ts';

/** One thing that is asked before anything can start. */
export interface Question<Answer> {
  readonly participant: ParticipantName;
  /** Says the shape of its answers: another shape takes another name. */
  readonly name: string;
  /** The answer is JSON. @throws LedgerCallError, TokenError */
  ask(io: Io): Promise<Answer>;
}

/** Not fresh: the participant is away, and this is what it said last. */
export interface Learned<Answer> {
  readonly answer: Answer;
  readonly isFresh: boolean;
}

/** Gets an answer, in whatever way. @throws when there is none */
export type Learn = <Answer>(question: Question<Answer>) => Promise<Learned<Answer>>;

export interface DiscoverOptions {
  readonly participants: readonly Participant[];
  /** The participant whose updates are projected; it also tells the time where that is static. */
  readonly projected: ParticipantName;
  /** The party as which its updates are read. */
  readonly providerOf: (rights: LedgerRights) => Party;
  readonly wallClock: WallClock;
  /** How far clocks may be apart. */
  readonly clockDifferenceMs: number;
  /** See `createWallLedgerClock`. */
  readonly toleranceMs: number;
  readonly learn: Learn;
  /** The types that are followed where the projected participant knows them. */
  readonly types: Wanted;
}

/** What the participants say about themselves and about us. */
export interface Discovered {
  readonly provider: Party;
  /** Ledger API version by participant. */
  readonly versions: ReadonlyMap<ParticipantName, string>;
  readonly rights: LedgerRights;
  /** Those of the types that are followed which the projected participant knows. */
  readonly wanted: Wanted;
  readonly isTimeStatic: boolean;
  readonly ledgerClock: LedgerClock;
  /** How long a stream may say nothing: checkpoints come at a pace that every participant announces. */
  readonly silenceMs: number;
}

/** What a participant says of itself and of us. */
interface About {
  readonly version: string;
  readonly isTimeStatic: boolean;
  readonly silenceMs: number;
  readonly rights: ParticipantRights;
}

/**
 * Asks the participants what we need to know before anything starts. A token of our ledger user is enough.
 *
 * @throws what `learn` throws, and what `providerOf` throws
 */
export async function discover(options: DiscoverOptions): Promise<Discovered> {
  const { participants, wallClock, learn } = options;
  const told = await Promise.all(
    participants.map(async (participant) => {
      const { name } = participant;
      const about = (io: Io) => aboutOf(participant, io);
      const { answer, isFresh } = await learn({ participant: name, name: 'about', ask: about });
      return { participant, ...answer, isFresh };
    }),
  );
  const rights = createLedgerRights(told, wallClock);
  const provider = options.providerOf(rights);
  const projected = told.find(({ participant }) => participant.name === options.projected);
  assert(projected !== undefined, `participant ${options.projected} is configured`);
  const { isTimeStatic } = projected;
  const [wanted, ledgerClock] = await Promise.all([
    typesOf(projected.participant, provider, options.types, learn),
    isTimeStatic
      ? staticClockOf(projected.participant, learn)
      : createWallLedgerClock(wallClock, options),
  ]);
  return {
    provider,
    versions: new Map(told.map(({ participant, version }) => [participant.name, version])),
    rights,
    wanted,
    isTimeStatic,
    ledgerClock,
    silenceMs: Math.max(...told.map(({ silenceMs }) => silenceMs)),
  };
}

async function aboutOf(participant: Participant, io: Io): Promise<About> {
  const [{ version, features }, rights] = await Promise.all([
    participant.version.getLedgerApiVersion({}, callOptions(io)),
    readRights(participant, io),
  ]);
  return {
    version,
    isTimeStatic: features?.experimental?.staticTime?.supported ?? false,
    silenceMs: silenceMsOf(features),
    rights,
  };
}

async function typesOf(
  projected: Participant,
  provider: Party,
  all: Wanted,
  learn: Learn,
): Promise<Wanted> {
  const { answer } = await learn({
    participant: projected.name,
    name: 'types',
    ask: (io) => knownOf(projected, provider, all, io),
  });
  return answer;
}

/** A time that was told once is over, however long ago it was told. */
async function staticClockOf(projected: Participant, learn: Learn): Promise<LedgerClock> {
  const { answer } = await learn({
    participant: projected.name,
    name: 'time',
    ask: (io) => readStaticTime(projected, io),
  });
  return createStaticLedgerClock(projected, answer);
}

/** A checkpoint may be late, and the next one lost with a connection that broke meanwhile. */
function silenceMsOf(features: FeaturesDescriptor | undefined): number {
  const delay = features?.offsetCheckpoint?.maxOffsetCheckpointEmissionDelay;
  if (delay === undefined) return LEDGER_LIMITS.streamSilenceMs;
  const announcedMs = Number(timestampToMicros(delay) / 1_000n);
  return Math.min(2 * announcedMs, LEDGER_LIMITS.streamSilenceMs) + LIMITS.ledgerCallMs;
}

/**
 * Which of the templates and interfaces the participant knows. Listing packages takes an administrator; but everybody
 * who may read as a party can ask for its updates between the ledger end and the ledger end, and a filter for a
 * template that the participant does not know is refused before the nothing is delivered.
 */
export async function knownOf(
  participant: Participant,
  party: Party,
  { templates, interfaces }: Wanted,
  io: Io,
): Promise<Wanted> {
  const { offset } = await participant.state.getLedgerEnd({}, callOptions(io));
  const ask = (wanted: Wanted) => isKnown(participant, party, wanted, offset, io);
  const [byTemplate, byInterface] = await Promise.all([
    Promise.all(templates.map((template) => ask({ templates: [template], interfaces: [] }))),
    Promise.all(interfaces.map((name) => ask({ templates: [], interfaces: [name] }))),
  ]);
  return {
    templates: templates.filter((_template, i) => byTemplate[i]),
    interfaces: interfaces.filter((_name, i) => byInterface[i]),
  };
}

async function isKnown(
  participant: Participant,
  party: Party,
  wanted: Wanted,
  ledgerEnd: bigint,
  io: Io,
): Promise<boolean> {
  const stream = participant.update.getUpdates(
    {
      beginExclusive: ledgerEnd,
      endInclusive: ledgerEnd,
      updateFormat: updateFormat([party], wanted),
    },
    callOptions(io),
  );
  try {
    // The participant may close with a checkpoint: any answer but a refusal will do.
    for await (const _ of stream) break;
    return true;
  } catch (error) {
    if (TYPES_NOT_KNOWN.has(classify(error).code)) return false;
    throw error;
  }
}
