import { randomUUID } from 'node:crypto';
import type { Localnet } from '../../../localnet/localnet.ts';
import { USER_PERSON } from './identities.ts';
import type { Identity } from './identities.ts';
import type { Network } from './network.ts';
import { PATIENCE_MS } from '../../kit/patience.ts';

/** An answer over HTTP: `json` is absent unless the body is JSON. */
export interface HttpReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
}

export interface HttpRequest {
  readonly method?: string;
  /** The identity with whose token the request is sent; a string is sent as the whole header. */
  readonly as?: Identity | string;
  /** The body. Strings, bytes and forms are sent as they are, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const isSentAsItIs = (body: unknown): body is string | Uint8Array<ArrayBuffer> | FormData =>
  typeof body === 'string' || body instanceof Uint8Array || body instanceof FormData;

/** Makes one request to an HTTP interface of the network, with the token of an identity if one is given. */
export async function http(
  network: Network,
  url: string,
  { method, as, body, headers = {} }: HttpRequest = {},
): Promise<HttpReply> {
  const authorization =
    typeof as === 'object' ? `Bearer ${await network.tokens.of(as)}` : (as ?? undefined);
  const isJson = body !== undefined && !isSentAsItIs(body);
  const answer = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(isJson ? { 'content-type': 'application/json' } : {}),
      ...(authorization === undefined ? {} : { authorization }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isSentAsItIs(body) ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, json: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the body that the reference's `create-app-install-request` sends, including keys that no current version
 * knows.
 */
export function installRequestBody(
  { user, provider }: { readonly user: string; readonly provider: string },
  changes: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    commands: [
      {
        CreateCommand: {
          templateId: '#quickstart-licensing:Licensing.AppInstall:AppInstallRequest',
          createArguments: { provider, user, meta: { values: {} } },
        },
      },
    ],
    workflowId: 'create-app-install-request',
    applicationId: '92a520cb-2f09-4e55-b465-d178c6cfe5e4',
    commandId: `create-app-install-request-${randomUUID()}`,
    deduplicationPeriod: { Empty: {} },
    actAs: [user],
    readAs: [user],
    submissionId: 'create-app-install-request',
    disclosedContracts: [],
    domainId: '',
    packageIdSelectionPreference: [],
    ...changes,
  };
}

/** Returns the parties of a network, and functions that call the JSON Ledger APIs of its participants. */
export function jsonApisOf(network: Network<Localnet>) {
  const { appUser, appProvider } = network.localnet.parties;
  const urlsOf = (name: keyof Localnet['urls']['participants']) =>
    network.localnet.urls.participants[name];
  const userJson = (path: string, request?: HttpRequest) =>
    http(network, `${urlsOf('app-user').json}${path}`, request);
  return {
    appUser,
    appProvider,
    sides: { user: appUser, provider: appProvider },
    urlsOf,
    userJson,
    providerJson: (path: string, request?: HttpRequest) =>
      http(network, `${urlsOf('app-provider').json}${path}`, request),
    submit: (body: unknown) => userJson('/v2/commands/submit-and-wait', { body, as: USER_PERSON }),
  };
}
