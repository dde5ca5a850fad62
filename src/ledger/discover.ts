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

/** A call to a participant that must be answered before Tenure starts. */
export interface Question<Answer> {
  readonly participant: ParticipantName;
  /** Name of the question and of the shape of its answers: if the shape changes, the name must change. */
  readonly name: string;
  /** Returns an answer that can be stored as JSON. @throws LedgerCallError, TokenError */
  ask(io: Io): Promise<Answer>;
}

/** An answer, and whether it is fresh. If it is not, the participant is unreachable, and this is its last answer. */
export interface Learned<Answer> {
  readonly answer: Answer;
  readonly isFresh: boolean;
}

/** Gets an answer from the participant or from storage. @throws if there is none */
export type Learn = <Answer>(question: Question<Answer>) => Promise<Learned<Answer>>;

export interface DiscoverOptions {
  readonly participants: readonly Participant[];
  /** The participant whose updates are projected. A static time is also read from it. */
  readonly projected: ParticipantName;
  /** Returns the party that reads the updates. */
  readonly providerOf: (rights: LedgerRights) => Party;
  readonly wallClock: WallClock;
  /** The maximum tolerated clock difference. */
  readonly clockDifferenceMs: number;
  /** See `createWallLedgerClock`. */
  readonly toleranceMs: number;
  readonly learn: Learn;
  /** The types to follow, as far as the projected participant knows them. */
  readonly types: Wanted;
}

/** The participants' reports about themselves and about our ledger users. */
export interface Discovered {
  readonly provider: Party;
  /** Ledger API version by participant. */
  readonly versions: ReadonlyMap<ParticipantName, string>;
  readonly rights: LedgerRights;
  /** The types to follow that the projected participant knows. */
  readonly wanted: Wanted;
  readonly isTimeStatic: boolean;
  readonly ledgerClock: LedgerClock;
  /** The longest silence that is normal for a stream: every participant announces the interval of its checkpoints. */
  readonly silenceMs: number;
}

/** A participant's report about itself and about our ledger user. */
interface About {
  readonly version: string;
  readonly isTimeStatic: boolean;
  readonly silenceMs: number;
  readonly rights: ParticipantRights;
}

/**
 * Reads from the participants everything that Tenure needs before it starts. A token of our ledger user is sufficient.
 *
 * @throws the errors of `learn` and of `providerOf`
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

/** Creates the clock for a static time. A stored report is sufficient: a time that was reported once has passed. */
async function staticClockOf(projected: Participant, learn: Learn): Promise<LedgerClock> {
  const { answer } = await learn({
    participant: projected.name,
    name: 'time',
    ask: (io) => readStaticTime(projected, io),
  });
  return createStaticLedgerClock(projected, answer);
}

/**
 * Returns how long a stream may be silent. A checkpoint may be late, and the next one may be lost with a broken
 * connection.
 */
function silenceMsOf(features: FeaturesDescriptor | undefined): number {
  const delay = features?.offsetCheckpoint?.maxOffsetCheckpointEmissionDelay;
  if (delay === undefined) return LEDGER_LIMITS.streamSilenceMs;
  const announcedMs = Number(timestampToMicros(delay) / 1_000n);
  return Math.min(2 * announcedMs, LEDGER_LIMITS.streamSilenceMs) + LIMITS.ledgerCallMs;
}

/**
 * Returns the templates and interfaces that the participant knows. Only an administrator can list packages. But every
 * reader of a party can request an empty range of updates at the ledger end, and the participant refuses a filter with
 * an unknown template before it delivers the empty result.
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
    // The participant may answer with a checkpoint: any answer except a refusal is sufficient.
    for await (const _ of stream) break;
    return true;
  } catch (error) {
    if (TYPES_NOT_KNOWN.has(classify(error).code)) return false;
    throw error;
  }
}
