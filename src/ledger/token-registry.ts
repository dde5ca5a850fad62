import type { WallClock } from '../app/ports/clocks.ts';
import type { Io } from '../app/ports/io.ts';
import type { SettlementContext, TokenRegistry } from '../app/ports/registry.ts';
import { RegistryError } from '../app/ports/registry.ts';
import { causeText } from '../domain/error-text.ts';
import type { ContractId, Party } from '../domain/ids.ts';
import { isContractId, isParty, trusted } from '../domain/ids.ts';
import type { Json, JsonRecord } from '../domain/json.ts';
import { isJsonRecord, recordAt, textAt } from '../domain/json.ts';
import type { DisclosedContract } from '../domain/ledger.ts';
import { LEDGER_LIMITS } from './limits.ts';

export interface TokenRegistryOptions {
  /** Must not end with a slash, because routes begin with `/registry/`. */
  readonly baseUri: string;
  /** Must limit the duration and the size of every exchange. */
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  readonly wallClock: WallClock;
}

/**
 * Creates a client for the token standard's registry over HTTP, which needs no access token. Source: the token
 * standard's `metadata-v1` and `allocation-v1` OpenAPI documents.
 */
export function createTokenRegistry(options: TokenRegistryOptions): TokenRegistry {
  const call = createCalls(options);
  let admin: { readonly party: Party; readonly atMs: number } | null = null;
  return {
    async instrumentAdmin(io: Io): Promise<Party> {
      const nowMs = options.wallClock.nowMs();
      if (admin !== null && nowMs - admin.atMs < LEDGER_LIMITS.instrumentAdminMaxAgeMs)
        return admin.party;
      const answer = await call('/registry/metadata/v1/info', { method: 'GET' }, io);
      const party = textAt(answer, 'adminId');
      if (party === undefined || !isParty(party)) throw unreadable('it names no adminId');
      admin = { party, atMs: nowMs };
      return party;
    },
    async settlementContext(allocation: ContractId, io: Io): Promise<SettlementContext> {
      const path = `/registry/allocations/v1/${encodeURIComponent(allocation)}/choice-contexts/execute-transfer`;
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ meta: {} }),
      };
      return readContext(await call(path, init, io));
    },
  };
}

const unreadable = (why: string): RegistryError =>
  new RegistryError('unavailable', `the token registry's answer cannot be used: ${why}`);

type Call = (path: string, init: RequestInit, io: Io) => Promise<JsonRecord>;

/**
 * Calls a registry. After a call without an answer, only one call at a time tests the registry again, and all others
 * fail at once: calls that wait for the registry would otherwise delay the commands of all other callers.
 */
function createCalls({ baseUri, fetch }: TokenRegistryOptions): Call {
  let silent: { readonly error: RegistryError; isAsked: boolean } | null = null;

  async function exchange(path: string, init: RequestInit, io: Io) {
    if (silent?.isAsked === true) throw silent.error;
    if (silent !== null) silent.isAsked = true;
    const signal = AbortSignal.any([io.signal, AbortSignal.timeout(io.deadlineMs)]);
    try {
      const response = await fetch(`${baseUri}${path}`, { ...init, redirect: 'error', signal });
      const text = await response.text();
      silent = null;
      return { response, text };
    } catch (cause) {
      const error = new RegistryError('unavailable', `${baseUri}: ${causeText(cause)}`, { cause });
      silent = { error, isAsked: false };
      throw error;
    }
  }

  return async (path, init, io) => {
    const { response, text } = await exchange(path, init, io);
    const body = parsed(text);
    if (response.ok) return body ?? notJson();
    const said = body === null ? '' : (textAt(body, 'error') ?? '');
    const message = `${baseUri} answered ${response.status}${said === '' ? '' : `: ${said}`}`;
    throw new RegistryError(kindOf(response.status, init.method), message);
  };
}

function notJson(): never {
  throw unreadable('it is not a JSON object');
}

/**
 * Returns the kind of a failure by its status. The registry uses 409 for a temporary state; errors in the request
 * itself are permanent.
 */
function kindOf(status: number, method: string | undefined): RegistryError['kind'] {
  // A read contains no values of the caller, so a 404 comes from a server that is not, or not yet, the token's
  // registry.
  if (status === 404) return method === 'GET' ? 'unavailable' : 'not-found';
  const passes = status >= 500 || status === 408 || status === 409 || status === 429;
  return passes ? 'unavailable' : 'refused';
}

/** Keeps the original digits of numbers: decimals are handled as texts. */
const exactNumbers = (_key: string, value: unknown, context?: { readonly source?: string }) =>
  typeof value === 'number' ? (context?.source ?? String(value)) : value;

function parsed(text: string): JsonRecord | null {
  try {
    const value = JSON.parse(text, exactNumbers) as Json;
    return isJsonRecord(value) ? value : null;
  } catch {
    return null; // For example an error page of a proxy.
  }
}

/** Contracts that the settlement needs under these entry names, wherever the registry has put them. */
const ENTRY_OF_ENTITY: Readonly<Record<string, string>> = {
  AmuletRules: 'amulet-rules',
  OpenMiningRound: 'open-round',
};

function readContext(answer: JsonRecord): SettlementContext {
  const disclosed = listAt(answer, 'disclosedContracts').map(readDisclosed);
  const given = recordAt(recordAt(answer, 'choiceContextData'), 'values');
  const values = Object.entries(given).map(([name, value]) => [name, plainRelTime(value)] as const);
  const named = disclosed.flatMap(({ templateId, contractId }) => {
    const entry = ENTRY_OF_ENTITY[templateId.split(':').at(-1) ?? ''];
    return entry === undefined
      ? []
      : [[entry, { tag: 'AV_ContractId', value: contractId }] as const];
  });
  return { values: Object.fromEntries([...values, ...named]), disclosed };
}

/** Converts durations in a value. A duration can also be a number of microseconds, here and inside lists and maps. */
function plainRelTime(value: Json): Json {
  if (Array.isArray(value)) return value.map(plainRelTime);
  if (!isJsonRecord(value)) return value;
  const inner = value['value'];
  if (value['tag'] === 'AV_RelTime' && typeof inner === 'string') {
    return { tag: 'AV_RelTime', value: { microseconds: inner } };
  }
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, plainRelTime(held)]));
}

function listAt(record: JsonRecord, key: string): readonly Json[] {
  const value = record[key];
  return Array.isArray(value) ? value : [];
}

const TEMPLATE_ID = /^[0-9a-f]{64}:[\w.]+:[\w.]+$/u;

function readDisclosed(value: Json): DisclosedContract {
  const source = isJsonRecord(value) ? value : {};
  const templateId = textAt(source, 'templateId') ?? '';
  const contractId = textAt(source, 'contractId') ?? '';
  if (!TEMPLATE_ID.test(templateId) || !isContractId(contractId)) {
    throw unreadable('a disclosed contract has no template or contract ID');
  }
  return {
    templateId,
    contractId: trusted<ContractId>(contractId),
    createdEventBlob: textAt(source, 'createdEventBlob') ?? '',
    synchronizerId: textAt(source, 'synchronizerId') ?? '',
  };
}
