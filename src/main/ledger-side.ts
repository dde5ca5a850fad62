import { createHash } from 'node:crypto';
import type { LastAnswers } from '../app/ports/last-answers.ts';
import type { LedgerClock } from '../app/ports/clocks.ts';
import type { Log } from '../app/ports/io.ts';
import type { Hosting, LedgerGateway, LedgerStreams, PartyDirectory } from '../app/ports/ledger.ts';
import type { TokenRegistry } from '../app/ports/registry.ts';
import type { Store } from '../app/ports/transaction.ts';
import type { ContractModel } from '../app/contract/model.ts';
import { NEWEST_MODEL, licensingModel } from '../app/licensing/model.ts';
import { typesOf } from '../app/contract/model.ts';
import type { AccessTokens } from '../app/ports/access-tokens.ts';
import { knownLedger } from '../app/engine/follow/recognise-ledger.ts';
import { APP_INSTALL_REQUEST, LICENSE_COMMENT } from '../domain/licensing.ts';
import type { TemplateName } from '../domain/ledger.ts';
import { hasChoice } from '../ledger/choices.ts';
import type { ParticipantName, Party } from '../domain/ids.ts';
import { trusted } from '../domain/ids.ts';
import { createIssuerDirectory } from '../auth/issuer-directory.ts';
import { createStaticTokenSource, createTokenSource } from '../auth/ledger-token.ts';
import type { OutgoingFetch } from '../auth/outgoing-fetch.ts';
import type { Participant } from '../ledger/channel.ts';
import { allowPlaintext, byName, openParticipant } from '../ledger/channel.ts';
import { discover } from '../ledger/discover.ts';
import type { Discovered, Learn } from '../ledger/discover.ts';
import { createLedgerGateway } from '../ledger/gateway.ts';
import { createHosting } from '../ledger/hosting.ts';
import { createPartyDirectory } from '../ledger/party-directory.ts';
import type { LedgerRights } from '../ledger/rights.ts';
import { createLedgerStreams } from '../ledger/streams.ts';
import { createTokenRegistry } from '../ledger/token-registry.ts';
import { createOwnLedgerUsers } from '../ledger/own-ledger-users.ts';
import type { OwnLedgerUsers } from '../ledger/own-ledger-users.ts';
import { StartQuestions } from './ask-participants.ts';
import type { Config, ParticipantConfig } from './config.ts';

/** The connections to all participants, opened and checked. */
export interface LedgerSide {
  readonly providerParty: Party;
  /** `null` if neither a users' participant nor a user party is configured. */
  readonly userParty: Party | null;
  readonly gateway: LedgerGateway;
  readonly streams: LedgerStreams;
  readonly hosting: Hosting;
  readonly partyDirectory: PartyDirectory;
  readonly ownLedgerUsers: OwnLedgerUsers;
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

function tokensOf(
  config: Config,
  { credentials }: ParticipantConfig,
  fetch: OutgoingFetch,
): AccessTokens {
  if (credentials.kind === 'token') return createStaticTokenSource(credentials.token);
  const { issuer, clientId, clientSecret } = credentials;
  const issuers = createIssuerDirectory({
    known: config.issuers,
    fetch,
    guardedFetch: fetch,
    allowsHttp: true,
    nowMs: () => wallClock.nowMs(),
  });
  return createTokenSource({
    tokenUrl: () => issuers.tokenUrl(issuer),
    clientId,
    clientSecret,
    scope: config.ledgerScope,
    audience: config.ledgerAudience,
    fetch: issuers.fetchOf(issuer),
  });
}

/** Returns a participant to which a connection is made at the first request. */
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

/**
 * Returns the address of a participant and the identity that is used there. A token is secret, so a hash of the token
 * identifies it.
 */
const askedOf = ({ host, port, credentials }: ParticipantConfig) => ({
  address: `${host}:${port}`,
  askedAs:
    credentials.kind === 'client'
      ? credentials.clientId
      : createHash('sha256').update(credentials.token).digest('base64url'),
});

/**
 * Returns the party of a ledger user: the configured one or, if there is just one, the one that the user may act as.
 */
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

/**
 * Finds out at the start which features the ledger's licensing package has; a package does not lose a choice later. The
 * question is a command, so it is not sent to a foreign ledger.
 */
async function contractModel(
  { gateway, hosting, userParty, userParticipant, templates, log }: Asking,
  learn: Learn,
): Promise<ContractModel> {
  const hasComments = templates.includes(LICENSE_COMMENT);
  if (userParty === null) return licensingModel({ hasRequestCancel: true, hasComments });
  const asked = {
    template: APP_INSTALL_REQUEST,
    choice: 'AppInstallRequest_Cancel',
    argument: { meta: { values: {} } },
  };
  const { answer: hasRequestCancel } = await learn({
    participant: userParticipant,
    name: `choice:${asked.choice}`,
    ask: async (io) => {
      const submitter = await hosting.submitterFor(userParty, io);
      const has = submitter === null ? null : await hasChoice(gateway, submitter, asked, io);
      if (has !== true) log.info({ choice: asked.choice, has }, 'asked the ledger for a choice');
      return has ?? true;
    },
  });
  return licensingModel({ hasRequestCancel, hasComments });
}

interface Asking {
  readonly gateway: LedgerGateway;
  readonly hosting: Hosting;
  readonly userParty: Party | null;
  /** The participant that is asked about a choice of the user. */
  readonly userParticipant: ParticipantName;
  readonly templates: readonly TemplateName[];
  readonly log: Log;
}

export interface LedgerSideOptions {
  readonly config: Config;
  /** A promise, because the store may still be opening: nothing is sent before the store can recognise the ledgers. */
  readonly store: Promise<Store>;
  readonly lastAnswers: Promise<LastAnswers>;
  readonly fetch: OutgoingFetch;
  readonly log: Log;
  /** Aborts the start. */
  readonly signal: AbortSignal;
}

/** Opens every configured participant, and reads the values that every start needs. */
export async function openLedgerSide(options: LedgerSideOptions): Promise<LedgerSide> {
  const { config, store, lastAnswers, fetch, log, signal } = options;
  // Prevents unhandled rejections: the code that opens these two reports a failure.
  for (const opening of [store, lastAnswers]) opening.catch(() => undefined);
  const participants = config.participants.map((participant) =>
    openConfigured(config, participant, fetch),
  );
  const names = participants.map(({ name }) => name);
  const closing = new AbortController();
  const close = () => {
    closing.abort();
    for (const participant of participants) participant.close();
  };
  try {
    const configured = byName(config.participants);
    const questions = new StartQuestions({
      askedOf: (name) => askedOf(configured(name)),
      last: lastAnswers,
      log,
      signal,
    });
    const { learn } = questions;
    const discovered = await discover({
      types: typesOf(NEWEST_MODEL),
      participants,
      projected: PROVIDER,
      providerOf: (rights) => partyAt(rights, PROVIDER, config.providerParty),
      wallClock,
      ...config.proof,
      learn,
    });
    const { provider, rights, wanted } = discovered;
    const userParty = names.includes(USER)
      ? partyAt(rights, USER, config.userParty)
      : config.userParty;
    const gateway = createLedgerGateway({
      argumentsOf: NEWEST_MODEL.argumentsOf,
      participants,
      rights,
      known: async (name, io) => knownLedger(await store, name, PROVIDER, io),
    });
    const hosting = createHosting({ provider, projected: PROVIDER, participants: names, rights });
    const userParticipant = names.includes(USER) ? USER : PROVIDER;
    const asking = { gateway, hosting, userParty, userParticipant, ...wanted, log };
    const model = await contractModel(asking, learn);
    void questions.catchUp(rights, closing.signal);
    return {
      providerParty: provider,
      userParty,
      gateway,
      hosting,
      partyDirectory: createPartyDirectory(participants, rights),
      ownLedgerUsers: createOwnLedgerUsers(participants),
      registry: createTokenRegistry({ baseUri: config.registryUri, fetch, wallClock }),
      model,
      streams: createLedgerStreams({
        participants,
        projected: PROVIDER,
        readAs: [provider],
        wanted,
        rights,
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
