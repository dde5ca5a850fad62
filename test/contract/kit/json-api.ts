import type { Localnet } from '../../../localnet/localnet.ts';
import { installRequestBody, jsonApisOf } from './http.ts';
import type { HttpRequest } from './http.ts';
import { USER_ADMIN, USER_PERSON } from './identities.ts';
import type { Network } from './network.ts';
import { converse } from './web-socket.ts';

export const INSTALL_REQUEST = '#quickstart-licensing:Licensing.AppInstall:AppInstallRequest';

interface Transaction {
  readonly updateId: string;
  readonly offset: number;
  readonly events: readonly Readonly<Record<string, { readonly contractId: string }>>[];
}

/** Returns a submission that creates one contract of a template. */
export const withCreate = (createArguments: object, templateId = INSTALL_REQUEST) => ({
  commands: [{ CreateCommand: { templateId, createArguments } }],
});

/** Helpers for calls of the JSON API of the app user's participant. Most calls are made as its person. */
export function jsonApiOf(network: Network<Localnet>) {
  const { sides, urlsOf, userJson } = jsonApisOf(network);
  const base = urlsOf('app-user').json;
  const ask = (path: string, body?: unknown, more: HttpRequest = {}) =>
    userJson(path, { as: USER_PERSON, ...(body === undefined ? {} : { body }), ...more });
  const administer = (path: string, body?: unknown, more: HttpRequest = {}) =>
    ask(path, body, { as: USER_ADMIN, ...more });
  const create = (changes: Readonly<Record<string, unknown>> = {}) =>
    installRequestBody(sides, changes);

  /** Creates a contract. @returns the transaction */
  const created = async () => {
    const path = '/v2/commands/submit-and-wait-for-transaction';
    const { json } = await ask(path, { commands: create() });
    const { transaction } = json as { readonly transaction: Transaction };
    const contractId = transaction.events[0]?.['CreatedEvent']?.contractId ?? '';
    return { ...transaction, contractId };
  };

  const ledgerEnd = async () =>
    ((await ask('/v2/state/ledger-end')).json as { readonly offset: number }).offset;

  /** Sends one request over a WebSocket, and returns the first message. */
  const firstOf = async (path: string, request: unknown) => {
    const url = `${base}${path}`;
    const { messages } = await converse(network, url, { as: USER_PERSON, request, countMax: 1 });
    return messages[0];
  };

  const wildcard = { identifierFilter: { WildcardFilter: { value: {} } } };
  const filtersByParty = { [sides.user]: { cumulative: [wildcard] } };
  const eventFormat = { filtersByParty, verbose: false };
  return {
    base,
    sides,
    ask,
    administer,
    create,
    created,
    ledgerEnd,
    firstOf,
    filtersByParty,
    eventFormat,
  };
}
