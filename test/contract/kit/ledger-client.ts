import type { ContractModel } from '../../../src/app/contract/model.ts';
import { typesOf } from '../../../src/app/contract/model.ts';
import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import { randomUUID } from 'node:crypto';
import { startLocalnet } from '../../../localnet/localnet.ts';
import type { Localnet, LocalnetOptions } from '../../../localnet/localnet.ts';
import { createTokenSource } from '../../../src/auth/ledger-token.ts';
import { createOutgoingHttp } from '../../../src/auth/outgoing-fetch.ts';
import type { LedgerClock } from '../../../src/app/ports/clocks.ts';
import type { Io } from '../../../src/app/ports/io.ts';
import type {
  Hosting,
  LedgerGateway,
  LedgerStreams,
  SubmitRequest,
} from '../../../src/app/ports/ledger.ts';
import type { LedgerAnswer } from '../../../src/domain/answer.ts';
import type { Submitter } from '../../../src/domain/change.ts';
import type {
  CommandId,
  ContractId,
  ParticipantName,
  Party,
  SubmissionId,
} from '../../../src/domain/ids.ts';
import { parseParty, trusted } from '../../../src/domain/ids.ts';
import type { JsonRecord } from '../../../src/domain/json.ts';
import type {
  CompletionElement,
  CreatedEvent,
  LedgerCommand,
  LedgerCompletion,
  LedgerTransaction,
  LedgerUpdate,
  TemplateName,
} from '../../../src/domain/ledger.ts';
import { APP_INSTALL_REQUEST } from '../../../src/domain/licensing.ts';
import { allowPlaintext, openParticipant } from '../../../src/ledger/channel.ts';
import type { AccessTokens } from '../../../src/app/ports/access-tokens.ts';
import type { Participant } from '../../../src/ledger/channel.ts';
import { discover } from '../../../src/ledger/discover.ts';
import type { Discovered } from '../../../src/ledger/discover.ts';
import { createLedgerGateway } from '../../../src/ledger/gateway.ts';
import { createHosting } from '../../../src/ledger/hosting.ts';
import { createLedgerStreams } from '../../../src/ledger/streams.ts';
import type { Identity } from './identities.ts';
import { PROVIDER_BACKEND, USER_ADMIN } from './identities.ts';
import { Network } from './network.ts';
import { PATIENCE_MS } from '../../kit/patience.ts';

export const PROVIDER_SIDE = trusted<ParticipantName>('app-provider');
export const USER_SIDE = trusted<ParticipantName>('app-user');
export const META: JsonRecord = { values: { note: 'ünïcode', empty: '' } };

export const io = (deadlineMs = PATIENCE_MS): Io => ({
  signal: new AbortController().signal,
  deadlineMs,
});

/** The part of Tenure that uses the ledger, composed as in production, on its own network. */
export class LedgerClient implements AsyncDisposable {
  readonly localnet: Localnet;
  readonly network: Network;
  readonly participants: readonly Participant[];
  readonly discovered: Discovered;
  readonly provider: Party;
  readonly user: Party;
  readonly hosting: Hosting;
  readonly gateway: LedgerGateway;
  readonly streams: LedgerStreams;
  readonly clock: LedgerClock;
  readonly #stack: AsyncDisposableStack;

  private constructor(
    localnet: Localnet,
    participants: readonly Participant[],
    discovered: Discovered,
    model: ContractModel,
    stack: AsyncDisposableStack,
  ) {
    const names = participants.map(({ name }) => name);
    const { rights, wanted } = discovered;
    this.localnet = localnet;
    this.network = stack.use(new Network(localnet, () => Promise.resolve()));
    this.participants = participants;
    this.discovered = discovered;
    this.provider = parseParty(localnet.parties.appProvider);
    this.user = parseParty(localnet.parties.appUser);
    this.hosting = createHosting({
      provider: this.provider,
      projected: PROVIDER_SIDE,
      participants: names,
      rights,
    });
    this.gateway = createLedgerGateway({
      argumentsOf: model.argumentsOf,
      participants,
      rights,
    });
    this.streams = createLedgerStreams({
      participants,
      projected: PROVIDER_SIDE,
      readAs: [this.provider],
      wanted,
      rights,
    });
    this.clock = discovered.ledgerClock;
    this.#stack = stack;
  }

  static async open(
    options: LocalnetOptions = {},
    wrapTokens: (tokens: AccessTokens) => AccessTokens = (tokens) => tokens,
    model: ContractModel = NEWEST_MODEL,
  ): Promise<LedgerClient> {
    await using starting = new AsyncDisposableStack();
    const localnet = starting.use(
      await startLocalnet({ ports: 'free', checkpointIntervalMs: 50, ...options }),
    );
    const http = starting.adopt(createOutgoingHttp(), (open) => open.close());
    const open = (name: ParticipantName, identity: Identity): Participant =>
      starting.adopt(
        openParticipant({
          name,
          address: localnet.urls.participants[identity.participant].ledger,
          tokens: wrapTokens(
            createTokenSource({
              tokenUrl: localnet.urls.tokenEndpoints[identity.realm],
              clientId: identity.grant['client_id'] ?? '',
              clientSecret: identity.grant['client_secret'] ?? '',
              scope: 'daml_ledger_api',
              fetch: http.fetch,
            }),
          ),
          [allowPlaintext]: true,
        }),
        (participant) => participant.close(),
      );
    const participants = [open(PROVIDER_SIDE, PROVIDER_BACKEND), open(USER_SIDE, USER_ADMIN)];
    const discovered = await discover({
      types: typesOf(model),
      participants,
      projected: PROVIDER_SIDE,
      providerOf: () => parseParty(localnet.parties.appProvider),
      wallClock: { nowMs: Date.now },
      clockDifferenceMs: 0,
      toleranceMs: 0,
      learn: async (question) => ({ answer: await question.ask(io()), isFresh: true }),
    });
    return new LedgerClient(localnet, participants, discovered, model, starting.move());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }

  async submitterOf(party: Party): Promise<Submitter> {
    const submitter = await this.hosting.submitterFor(party, io());
    if (submitter === null) throw new Error(`${party} is hosted nowhere`);
    return submitter;
  }

  /** Returns a new submission that acts as a party. `more` changes it. */
  async request(
    party: Party,
    command: LedgerCommand,
    more: Partial<SubmitRequest> = {},
  ): Promise<SubmitRequest> {
    return {
      submitter: await this.submitterOf(party),
      commandId: trusted<CommandId>(randomUUID()),
      submissionId: trusted<SubmissionId>(randomUUID()),
      workflowId: '',
      deduplicationOffset: 0n,
      command,
      disclosed: [],
      ...more,
    };
  }

  submit(request: SubmitRequest): Promise<LedgerAnswer | null> {
    return this.gateway.submit(request, io());
  }

  /** Submits a request, and follows the participant's completions until that of this submission. */
  async complete(request: SubmitRequest): Promise<LedgerCompletion> {
    const after = await this.gateway.ledgerEnd(request.submitter.participant, io());
    const answer = await this.submit(request);
    if (answer !== null) throw new Error(`${answer.code}: ${answer.text}`);
    return this.completionOf(request, after);
  }

  async completionOf(request: SubmitRequest, after: bigint): Promise<LedgerCompletion> {
    const isThis = (element: CompletionElement): element is LedgerCompletion =>
      element.kind === 'completion' && element.submissionId === request.submissionId;
    const { participant } = request.submitter;
    const found = await this.first(
      (signal) => this.streams.completions(participant, after, signal),
      isThis,
    );
    return found;
  }

  /** Returns an update as the provider sees it. */
  transactionWith(updateId: string, after = 0n): Promise<LedgerTransaction> {
    const isThis = (element: LedgerUpdate): element is LedgerTransaction =>
      element.kind === 'transaction' && element.updateId === updateId;
    return this.first((signal) => this.streams.updates(after, signal), isThis);
  }

  /** Submits a request and waits for its completion. @returns the transaction as the provider sees it */
  async transact(request: SubmitRequest): Promise<LedgerTransaction> {
    const { updateId, answer } = await this.complete(request);
    if (updateId === null) throw new Error(`rejected: ${answer?.code}`);
    return this.transactionWith(updateId);
  }

  /** Returns all elements of an endless stream up to an offset. The stream must reach the offset. */
  async upTo<T extends { readonly offset: bigint }>(
    open: (signal: AbortSignal) => AsyncIterable<T>,
    offset: bigint,
  ): Promise<T[]> {
    const elements: T[] = [];
    await this.first(open, (element): element is T => {
      if (element.offset <= offset) elements.push(element);
      return element.offset >= offset;
    });
    return elements;
  }

  async first<T, Found extends T>(
    open: (signal: AbortSignal) => AsyncIterable<T>,
    isWanted: (element: T) => element is Found,
  ): Promise<Found> {
    const reader = new AbortController();
    const tooLate = AbortSignal.timeout(PATIENCE_MS);
    try {
      for await (const element of open(AbortSignal.any([reader.signal, tooLate]))) {
        if (isWanted(element)) return element;
      }
      throw new Error('the stream did not bring what was waited for');
    } finally {
      reader.abort();
    }
  }

  installRequest(user = this.user): LedgerCommand {
    const argument = { provider: this.provider, user, meta: META };
    return { kind: 'create', template: APP_INSTALL_REQUEST, argument };
  }

  /** Creates an install request of the user, and returns it as the provider sees it. */
  async createInstallRequest(): Promise<CreatedEvent> {
    const transaction = await this.transact(await this.request(this.user, this.installRequest()));
    return created(transaction, APP_INSTALL_REQUEST);
  }
}

export const exercise = (
  template: TemplateName,
  contractId: ContractId,
  choice: string,
  argument: JsonRecord,
): LedgerCommand => ({ kind: 'exercise', template, contractId, choice, argument });

export function created(transaction: LedgerTransaction, template: TemplateName): CreatedEvent {
  const event = transaction.events.find(
    (each) => each.kind === 'created' && each.template.entityName === template.entityName,
  );
  if (event?.kind !== 'created') throw new Error(`no ${template.entityName} was created`);
  return event;
}
