import { randomUUID } from 'node:crypto';
import { LedgerClient } from '@canton-network/core-ledger-client';
import { pino } from 'pino';

/*
 * The app: a desk that creates licences. It uses the official client of the JSON Ledger API, and does not depend on
 * where the participant runs.
 */

const REQUEST = '#quickstart-licensing:Licensing.AppInstall:AppInstallRequest';
const INSTALL = '#quickstart-licensing:Licensing.AppInstall:AppInstall';
const LICENSE = '#quickstart-licensing:Licensing.License:License';
const META = { values: {} };
const TRIES = 5;

/**
 * @typedef {object} DeskOptions
 * @property {string} url JSON Ledger API of the participant
 * @property {string} party who acts
 * @property {() => Promise<string>} token an access token of a user who may act as the party
 */

export class Desk {
  #client;
  #party;

  /** @param {DeskOptions} options */
  constructor({ url, party, token }) {
    this.#party = party;
    this.#client = new LedgerClient({
      baseUrl: new URL(url),
      logger: pino({ level: 'silent' }),
      accessTokenProvider: {
        getAccessToken: token,
        getAuthContext: async () => ({ accessToken: await token(), userId: '' }),
      },
    });
  }

  /** As the user: requests the app from a provider. @param {string} provider */
  ask(provider) {
    const createArguments = { provider, user: this.#party, meta: META };
    return this.#submit({ CreateCommand: { templateId: REQUEST, createArguments } });
  }

  /** As the provider: accepts all requests, and creates a licence for each user. */
  async serve() {
    for (const request of await this.#contracts(REQUEST)) {
      await this.#exercise(REQUEST, request.contractId, 'AppInstallRequest_Accept', {
        installMeta: META,
        meta: META,
      });
    }
    for (const install of await this.#contracts(INSTALL)) {
      if (install.createArgument.numLicensesCreated !== '0') continue;
      await this.#exercise(INSTALL, install.contractId, 'AppInstall_CreateLicense', {
        params: { meta: META },
      });
    }
  }

  /** Returns the licences in which this party is involved. */
  async licenses() {
    const found = await this.#contracts(LICENSE);
    return found.map(({ contractId, createArgument }) => ({
      contractId,
      user: createArgument.user,
      expiresAt: new Date(createArgument.expiresAt),
    }));
  }

  /**
   * Offers to extend a licence. The user has to pay within `payWithinMs`.
   *
   * @param {{ contractId: string, dso: string, payWithinMs: number, now: Date }} offer
   */
  async renew({ contractId, dso, payWithinMs, now }) {
    const settleBefore = now.getTime() + payWithinMs;
    await this.#exercise(LICENSE, contractId, 'License_Renew', {
      requestId: randomUUID(),
      licenseFeeInstrumentId: { admin: dso, id: 'Amulet' },
      licenseFeeAmount: '10.0',
      licenseExtensionDuration: { microseconds: '86400000000' },
      requestedAt: now.toISOString(),
      prepareUntil: new Date(settleBefore - 1_000).toISOString(),
      settleBefore: new Date(settleBefore).toISOString(),
      description: 'a day more',
    });
  }

  /** Ends a licence that has expired. @param {string} contractId */
  expire(contractId) {
    return this.#exercise(LICENSE, contractId, 'License_Expire', {
      actor: this.#party,
      meta: META,
    });
  }

  /**
   * @param {string} templateId
   * @param {string} contractId
   * @param {string} choice
   * @param {object} choiceArgument
   */
  #exercise(templateId, contractId, choice, choiceArgument) {
    return this.#submit({ ExerciseCommand: { templateId, contractId, choice, choiceArgument } });
  }

  /**
   * Submits a command until there is an answer. An answer may be lost although the command took effect. Repeating it
   * with the same command ID is safe: the ledger accepts a command once, and reports this the second time.
   *
   * @param {any} command
   */
  async #submit(command) {
    const commandId = randomUUID();
    for (let tries = 1; ; tries += 1) {
      try {
        await this.#client.post('/v2/commands/submit-and-wait', {
          commands: [command],
          commandId,
          actAs: [this.#party],
        });
        return;
      } catch (error) {
        const code = /** @type {{ code?: unknown }} */ (error).code;
        if (code === 'DUPLICATE_COMMAND') return;
        if (tries === TRIES || !isPassing(code)) throw error;
      }
    }
  }

  /** @param {string} templateId @returns {Promise<{ contractId: string, createArgument: any }[]>} */
  async #contracts(templateId) {
    const { offset } = await this.#client.get('/v2/state/ledger-end');
    const filter = { TemplateFilter: { value: { templateId, includeCreatedEventBlob: false } } };
    /** @type {any[]} */
    const answers = await this.#client.post('/v2/state/active-contracts', {
      activeAtOffset: offset ?? 0,
      verbose: false,
      eventFormat: {
        filtersByParty: { [this.#party]: { cumulative: [{ identifierFilter: filter }] } },
        verbose: false,
      },
    });
    return answers.flatMap(({ contractEntry }) =>
      contractEntry !== undefined && 'JsActiveContract' in contractEntry
        ? [contractEntry.JsActiveContract.createdEvent]
        : [],
    );
  }
}

/** Returns whether there was no answer at all, or an error after which one should try again. @param {unknown} code */
const isPassing = (code) =>
  code === undefined ||
  ['SERVER_OVERLOADED', 'REQUEST_TIME_OUT', 'SERVICE_NOT_RUNNING'].some((known) => known === code);
