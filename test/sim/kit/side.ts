import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import type { LedgerClock } from '../../../src/app/ports/clocks.ts';
import type { Io } from '../../../src/app/ports/io.ts';
import type { Hosting, LedgerGateway, LedgerStreams } from '../../../src/app/ports/ledger.ts';
import type { TokenRegistry } from '../../../src/app/ports/registry.ts';
import type { ParticipantName } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { typesOf } from '../../../src/app/contract/model.ts';

import type { AccessTokens } from '../../../src/app/ports/access-tokens.ts';
import type { Participant } from '../../../src/ledger/channel.ts';
import { createLedgerGateway } from '../../../src/ledger/gateway.ts';
import { createHosting } from '../../../src/ledger/hosting.ts';
import { createWallLedgerClock } from '../../../src/ledger/ledger-clock.ts';
import type { LedgerRights, ToldRights } from '../../../src/ledger/rights.ts';
import { createLedgerRights, readRights } from '../../../src/ledger/rights.ts';
import { createLedgerStreams } from '../../../src/ledger/streams.ts';
import { createTokenRegistry } from '../../../src/ledger/token-registry.ts';
import { StartQuestions } from '../../../src/main/ask-participants.ts';
import type { SubmitRequest } from '../../../proto/gen/com/daml/ledger/api/v2/command_submission_service.ts';
import { PARTICIPANTS, tokenFor } from './ledger.ts';
import type { Connection, Side } from './ledger.ts';
import type { SimProcess } from './process.ts';
import { registryFetch } from './registry.ts';
import type { CallFate, CommandKind } from './weather.ts';
import type { World } from './world.ts';

/** The connections of one simulated process to the participants, and everything that depends on them. */
export interface LedgerSide {
  readonly gateway: LedgerGateway;
  readonly streams: LedgerStreams;
  readonly hosting: Hosting;
  readonly ledgerClock: LedgerClock;
  readonly registry: TokenRegistry;
}

export const PROJECTED = trusted<ParticipantName>('app-provider');

const wallClock = { nowMs: () => Date.now() };

/**
 * The maximum difference between clocks that Tenure is configured to expect. It is more than the clocks of simulated
 * processes and participants differ.
 */
const CLOCK_DIFFERENCE_MS = 10_000;
/** How long after its judgement a transaction may be sequenced. */
const TOLERANCE_MS = 60_000;

const SUBMIT_PATH = '/com.daml.ledger.api.v2.CommandSubmissionService/Submit';
const READ_PATH = '/com.daml.ledger.api.v2.UpdateService/GetUpdateByOffset';
/**
 * The probability that an update is unreadable in a history with that fault. Code that reads updates for another
 * purpose succeeds eventually.
 */
const UNREADABLE = 0.95;
const TOKEN_LIFE_MS = 5 * 60_000;

function tokensOf(world: World, ledgerUser: string): AccessTokens {
  const { clock, weather } = world;
  let held = '';
  let renewAtMs = 0;
  const fresh = (): string => {
    renewAtMs = clock.nowMs + TOKEN_LIFE_MS * 0.8;
    held = tokenFor(ledgerUser, clock.nowMs + TOKEN_LIFE_MS);
    return held;
  };
  return {
    current: async () => {
      if (weather.strikes('tokens-away')) return { kind: 'unreachable', detail: 'no answer' };
      if (weather.strikes('token-expired')) {
        return { kind: 'token', token: tokenFor(ledgerUser, clock.nowMs - 1) };
      }
      return { kind: 'token', token: clock.nowMs >= renewAtMs ? fresh() : held };
    },
    renew: async () => ({ kind: 'token', token: fresh() }),
  };
}

const kindOf = ({ commands }: SubmitRequest): CommandKind =>
  commands?.commands[0]?.command?.$case === 'create' ? 'create' : 'exercise';

/**
 * Decides the fate of a call according to the current faults. If a completion is to report a refusal, records it on the
 * ledger.
 */
function fateOf(
  world: World,
  side: Side,
  process: SimProcess,
  path: string,
  request: unknown,
): CallFate {
  const { weather } = world;
  const isSubmit = path === SUBMIT_PATH;
  if (world.links[side].isAway) return { requestMs: weather.hopMs(), answerMs: 0, lost: 'unsent' };
  if (path === READ_PATH && world.isUnreadable && weather.random.chance(UNREADABLE))
    return { requestMs: weather.hopMs(), answerMs: 0, lost: 'unsent' };
  const command = isSubmit ? kindOf(request as SubmitRequest) : null;
  const drawn = weather.call(command);
  const { commands } = isSubmit ? (request as SubmitRequest) : {};
  if (command === null || commands === undefined) return drawn;
  const fate = world.adversary.worsen(commands, command, drawn);
  if (world.weather.strikes('kill-around-submit')) {
    // The fault happens at some time between the departure of the request and the arrival of the answer.
    const afterMs = weather.random.between(0, fate.requestMs + fate.answerMs);
    world.clock.set(() => world.kill(process, 'around Submit'), afterMs);
  }
  const isPlain = fate.lost === undefined && fate.refusal === undefined;
  const code = fate.completion ?? (isPlain ? weather.asyncRefusal(command) : null);
  if (code === null) return fate;
  return {
    ...fate,
    instead: async () => {
      world.ledger.rejectLater(side, request as SubmitRequest, code, world.clock);
      return {};
    },
  };
}

export const connectionOf = (world: World, side: Side, process: SimProcess): Connection => ({
  process,
  clock: world.clock,
  // A process uses the same ledger user as long as it runs.
  tokens: tokensOf(world, world.ledger.usersOf(side).at(-1) ?? ''),
  fateOf: (path, request) => fateOf(world, side, process, path, request),
  watch: (path, request) => {
    const { commands } = path === SUBMIT_PATH ? (request as SubmitRequest) : {};
    return commands === undefined ? () => undefined : world.adversary.watch(commands, process);
  },
  streamFate: () =>
    world.links[side].isAway
      ? { openMs: 1, elementMs: () => 1, onElement: () => 'cut', refusal: 'unsent' }
      : world.weather.stream(),
  broken: () => world.links[side].connections.signal,
});

/** A log without effect, because no one reads logs in the simulation. */
const NO_LOG = { debug() {}, info() {}, warn() {}, error() {} };

/** Asks for the rights, as a starting process does, until it gets an answer. */
async function rightsOf(world: World, participants: readonly Participant[]): Promise<LedgerRights> {
  const starting = new AbortController().signal;
  const { lastAnswers: last } = world;
  const questions = new StartQuestions({
    askedOf: (name) => ({
      address: name,
      askedAs: world.ledger.usersOf(name as string as Side).at(-1) ?? '',
    }),
    last: Promise.resolve(last),
    log: NO_LOG,
    signal: starting,
  });
  const tell = async (participant: Participant): Promise<ToldRights> => {
    const ask = (io: Io) => readRights(participant, io);
    for (;;) {
      try {
        const question = { participant: participant.name, name: 'rights', ask };
        const { answer, isFresh } = await questions.learn(question);
        return { participant, rights: answer, isFresh };
      } catch {
        // A real process would end here, and be started again by its supervisor.
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  };
  const rights = createLedgerRights(await Promise.all(participants.map(tell)), wallClock);
  void questions.catchUp(rights, starting);
  return rights;
}

/** Connects to every participant, and reads everything that a process must know before it starts its work. */
export async function openLedgerSide(world: World, process: SimProcess): Promise<LedgerSide> {
  const participants = PARTICIPANTS.map((side) =>
    world.ledger.connect(side, connectionOf(world, side, process)),
  );
  const rights = await rightsOf(world, participants);
  const { provider } = world.ledger;
  const gateway = createLedgerGateway({
    argumentsOf: NEWEST_MODEL.argumentsOf,
    participants,
    rights,
  });
  return {
    gateway: {
      ...gateway,
      synchronizers: async (participant, within) => [
        ...(await gateway.synchronizers(participant, within)),
        ...world.otherSynchronizers[participant as Side].joined,
      ],
    },
    hosting: createHosting({
      provider,
      projected: trusted<ParticipantName>(PARTICIPANTS[0]),
      participants: PARTICIPANTS.map(trusted<ParticipantName>),
      rights,
    }),
    ledgerClock: createWallLedgerClock(wallClock, {
      clockDifferenceMs: CLOCK_DIFFERENCE_MS,
      toleranceMs: TOLERANCE_MS,
    }),
    registry: createTokenRegistry({
      baseUri: 'http://registry',
      fetch: registryFetch(world, process),
      wallClock,
    }),
    streams: createLedgerStreams({
      participants,
      projected: PROJECTED,
      readAs: [provider],
      wanted: typesOf(NEWEST_MODEL),
      rights,
    }),
  };
}
