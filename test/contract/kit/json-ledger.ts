import { randomUUID } from 'node:crypto';
import type { Localnet, ParticipantName } from '../../../kit/index.ts';

const REQUEST = '#quickstart-licensing:Licensing.AppInstall:AppInstallRequest';
const INSTALL = '#quickstart-licensing:Licensing.AppInstall:AppInstall';
export const LICENSE = '#quickstart-licensing:Licensing.License:License';
const META = { values: {} };

interface Created {
  readonly contractId: string;
  readonly createArgument: Readonly<Record<string, unknown>>;
}

/** The actions of one user of the test kit's network, through the JSON Ledger API, with Node's own `fetch`. */
export class JsonLedger {
  readonly #localnet: Localnet;
  readonly #user: string;
  readonly #party: string;
  readonly #on: ParticipantName;

  constructor(localnet: Localnet, user: string, on: ParticipantName) {
    this.#localnet = localnet;
    this.#user = user;
    this.#party = localnet.parties[user] ?? '';
    this.#on = on;
  }

  /** Returns the body of an answer. @throws an error with the refusal's code */
  async ask(path: string, body?: unknown): Promise<unknown> {
    const token = await this.#localnet.token(this.#user, { participant: this.#on });
    const response = await fetch(`${this.#localnet.participants[this.#on].json}${path}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { readonly code?: string; readonly cause?: string };
    if (!response.ok) throw new Error(`${answer.code}: ${answer.cause}`);
    return answer;
  }

  async submit(command: object, actAs = this.#party): Promise<void> {
    const commandId = randomUUID();
    await this.ask('/v2/commands/submit-and-wait', {
      commands: [command],
      commandId,
      actAs: [actAs],
    });
  }

  /** Requests an installation. */
  async request(provider: string): Promise<void> {
    const createArguments = { provider, user: this.#party, meta: META };
    await this.submit({ CreateCommand: { templateId: REQUEST, createArguments } });
  }

  async exercise(
    { templateId, contractId }: { readonly templateId: string; readonly contractId: string },
    choice: string,
    choiceArgument: object,
  ): Promise<void> {
    await this.submit({ ExerciseCommand: { templateId, contractId, choice, choiceArgument } });
  }

  /** Creates a licence whose user and provider are this party. */
  async licence(): Promise<{ readonly templateId: string; readonly contractId: string }> {
    await this.request(this.#party);
    const [request] = await this.active(REQUEST);
    const of = (templateId: string, found: Created | undefined) => ({
      templateId,
      contractId: found?.contractId ?? '',
    });
    await this.exercise(of(REQUEST, request), 'AppInstallRequest_Accept', {
      installMeta: META,
      meta: META,
    });
    const [install] = await this.active(INSTALL);
    await this.exercise(of(INSTALL, install), 'AppInstall_CreateLicense', {
      params: { meta: META },
    });
    const [licence] = await this.active(LICENSE);
    return of(LICENSE, licence);
  }

  async active(templateId = REQUEST): Promise<readonly Created[]> {
    const { offset } = (await this.ask('/v2/state/ledger-end')) as { readonly offset: number };
    const filter = { TemplateFilter: { value: { templateId, includeCreatedEventBlob: false } } };
    const answers = await this.ask('/v2/state/active-contracts', {
      activeAtOffset: offset,
      verbose: false,
      eventFormat: {
        filtersByParty: { [this.#party]: { cumulative: [{ identifierFilter: filter }] } },
        verbose: false,
      },
    });
    return (
      answers as readonly {
        readonly contractEntry: { readonly JsActiveContract: { readonly createdEvent: Created } };
      }[]
    ).map(({ contractEntry }) => contractEntry.JsActiveContract.createdEvent);
  }
}
