import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Hosting,
  Io,
  LedgerClock,
  LedgerGateway,
  LedgerStreams,
  Log,
  Store,
  TokenRegistry,
} from '../app/ports.ts';
import type { ContractModel } from '../app/commands.ts';
import { knownLedger } from '../app/recognise-ledger.ts';
import { APP_INSTALL_REQUEST, LICENSE_COMMENT } from '../domain/licensing.ts';
import type { TemplateName } from '../domain/ledger.ts';
import { hasChoice } from '../ledger/choices.ts';
import type { ParticipantName, Party } from '../domain/ids.ts';
import { trusted } from '../domain/ids.ts';
import type { TokenSource } from '../auth/ledger-token.ts';
import { createStaticTokenSource, createTokenSource } from '../auth/ledger-token.ts';
import type { OutgoingFetch } from '../auth/outgoing-fetch.ts';
import type { Participant } from '../ledger/channel.ts';
import { allowPlaintext, openParticipant } from '../ledger/channel.ts';
import { discover } from '../ledger/discover.ts';
import type { Discovered } from '../ledger/discover.ts';
import { createLedgerGateway } from '../ledger/gateway.ts';
import { createHosting } from '../ledger/hosting.ts';
import { classify } from '../ledger/outcome.ts';
import { readLedgerRights } from '../ledger/rights.ts';
import type { LedgerRights } from '../ledger/rights.ts';
import { createLedgerStreams } from '../ledger/streams.ts';
import { createTokenRegistry } from '../ledger/token-registry.ts';
import type { Config, ParticipantConfig } from './config.ts';

/** Everything toward the participants, open and asked. */
export interface LedgerSide {
  readonly providerParty: Party;
  /** `null` when no users' participant is configured and no party is named. */
  readonly userParty: Party | null;
  readonly gateway: LedgerGateway;
  readonly streams: LedgerStreams;
  readonly hosting: Hosting;
  readonly ledgerClock: LedgerClock;
  readonly discovered: Discovered;
  readonly registry: TokenRegistry;
  readonly model: ContractModel;
  close(): void;
}

/** The participant whose updates are projected. */
export const PROVIDER = trusted<ParticipantName>('app-provider');
const USER = trusted<ParticipantName>('app-user');
const wallClock = { nowMs: () => Date.now() };

/** How long a start waits for a ledger that does not answer yet. */
const START_MS = 30_000;
const AGAIN_MS = 500;
const CALL_MS = 5_000;

function tokensOf(
  config: Config,
  { credentials }: ParticipantConfig,
  fetch: OutgoingFetch,
): TokenSource {
  if (credentials.kind === 'token') return createStaticTokenSource(credentials.token);
  const { tokenUrl, clientId, clientSecret } = credentials;
  return createTokenSource({
    tokenUrl,
    clientId,
    clientSecret,
    scope: config.ledgerScope,
    audience: config.ledgerAudience,
    fetch,
  });
}

/** Connects when it is first asked something. */
export function openConfigured(
  config: Config,
  participant: ParticipantConfig,
  fetch: OutgoingFetch,
): Participant {
  return openParticipant({
    name: participant.name,
    address: `${participant.host}:${participant.port}`,
    tokens: tokensOf(config, participant, fetch),
    ...(config.ledgerTls ? {} : { [allowPlaintext]: true as const }),
  });
}

/** The party that a ledger user stands for: the configured one, or the only one it may act as. */
function partyAt(rights: LedgerRights, name: ParticipantName, configured: Party | null): Party {
  if (configured !== null) return configured;
  const { actAs, ledgerUser } = rights.of(name);
  const [only] = actAs;
  if (only !== undefined && actAs.length === 1) return only;
  const variable = name === PROVIDER ? 'APP_PROVIDER_PARTY' : 'APP_USER_PARTY';
  throw new Error(
    `${variable} is missing: ledger user ${ledgerUser} of participant ${name} may act as ${actAs.length} parties`,
  );
}

/** Asks until there is an answer: a ledger that starts at the same time as we do is no failure. */
async function insist<T>(
  what: string,
  log: Log,
  signal: AbortSignal,
  ask: (io: Io) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + START_MS;
  for (;;) {
    try {
      return await ask({ signal, deadlineMs: CALL_MS });
    } catch (error) {
      signal.throwIfAborted();
      const { explanation, code, text } = classify(error);
      if (performance.now() > deadline) {
        throw new Error(`${what} does not answer: ${explanation} (${code}: ${text})`, {
          cause: error,
        });
      }
      log.warn({ what, code, text }, 'waiting for the ledger');
      await sleep(AGAIN_MS, undefined, { signal });
    }
  }
}

/**
 * What the ledger's licensing package can do. Asked once: a package does not lose a choice. The question is a command,
 * so it goes to no ledger that the store does not know.
 */
async function contractModel(
  store: Promise<Store>,
  gateway: LedgerGateway,
  hosting: Hosting,
  userParty: Party | null,
  templates: readonly TemplateName[],
  log: Log,
  signal: AbortSignal,
): Promise<ContractModel> {
  const hasComments = templates.includes(LICENSE_COMMENT);
  await store;
  const io: Io = { signal, deadlineMs: CALL_MS };
  const submitter = userParty === null ? null : await hosting.submitterFor(userParty, io);
  if (submitter === null) return { hasRequestCancel: true, hasComments };
  const asked = {
    template: APP_INSTALL_REQUEST,
    choice: 'AppInstallRequest_Cancel',
    argument: { meta: { values: {} } },
  };
  const has = await hasChoice(gateway, submitter, asked, io);
  if (has !== true) log.info({ choice: asked.choice, has }, 'asked the ledger for a choice');
  return { hasRequestCancel: has ?? true, hasComments };
}

/**
 * Opens every configured participant and learns what must be known before anything can start.
 *
 * @param store may be opened meanwhile: nothing is sent before it can tell by what the ledgers are recognised
 */
export async function openLedgerSide(
  config: Config,
  store: Promise<Store>,
  fetch: OutgoingFetch,
  log: Log,
  signal: AbortSignal,
): Promise<LedgerSide> {
  // Whoever opens it tells why it could not be opened.
  store.catch(() => undefined);
  const participants = config.participants.map((participant) =>
    openConfigured(config, participant, fetch),
  );
  const names = participants.map(({ name }) => name);
  const close = () => {
    for (const participant of participants) participant.close();
  };
  try {
    const where = config.participants.map(({ host, port }) => `${host}:${port}`).join(' and ');
    const rights = await insist(`the ledger at ${where}`, log, signal, (io) =>
      readLedgerRights(participants, wallClock, io),
    );
    const provider = partyAt(rights, PROVIDER, config.providerParty);
    const userParty = names.includes(USER)
      ? partyAt(rights, USER, config.userParty)
      : config.userParty;
    const asked = { participants, projected: PROVIDER, provider, wallClock, ...config.proof };
    const discovered = await insist(`the ledger at ${where}`, log, signal, (io) =>
      discover(asked, io),
    );
    const gateway = createLedgerGateway({
      participants,
      rights: discovered.rights,
      known: async (name, io) => knownLedger(await store, name, PROVIDER, io),
    });
    const hosting = createHosting({
      provider,
      projected: PROVIDER,
      participants: names,
      rights: discovered.rights,
    });
    return {
      providerParty: provider,
      userParty,
      gateway,
      hosting,
      registry: createTokenRegistry({ baseUri: config.registryUri, fetch, wallClock }),
      model: await contractModel(
        store,
        gateway,
        hosting,
        userParty,
        discovered.wanted.templates,
        log,
        signal,
      ),
      streams: createLedgerStreams({
        participants,
        projected: PROVIDER,
        readAs: [provider],
        wanted: discovered.wanted,
        rights: discovered.rights,
      }),
      ledgerClock: discovered.ledgerClock,
      discovered,
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}
