import { resolve } from 'node:path';
import { AUTH_MODES } from './auth/participant-trust.ts';
import type { AuthMode } from './auth/participant-trust.ts';
import { LEDGER_API_SCOPE } from './auth/scopes.ts';
import { USUAL_PRICE } from './ledger/traffic.ts';
import type { LocalnetOptions } from './localnet.ts';
import { FIXED_PORTS, FREE_PORTS, perParticipant, SINGLE_PORTS } from './ports.ts';
import type { ParticipantName, ParticipantPorts, PortMap } from './ports.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** An error that lists all mistakes of the environment. */
export class LocalnetConfigError extends Error {
  override readonly name = 'LocalnetConfigError';
}

class Reader {
  readonly mistakes: string[] = [];
  readonly #env: Environment;
  readonly #asked = new Set<string>(['LOCALNET_STOP_WITH_STDIN']);

  constructor(env: Environment) {
    this.#env = env;
  }

  /**
   * Returns a variable's text. An empty variable counts as absent, because compose files omit variables in this way.
   */
  text(name: string): string | undefined {
    this.#asked.add(name);
    const value = this.#env[name]?.trim();
    return value === '' ? undefined : value;
  }

  /** Refuses every variable that has LocalNet's prefix and is not a setting, because such a name is a mistake. */
  refuseMisspelt(): void {
    for (const [name, value] of Object.entries(this.#env)) {
      if (!name.startsWith('LOCALNET_') || this.#asked.has(name) || !value?.trim()) continue;
      this.mistakes.push(`${name} is no setting of this LocalNet`);
    }
  }

  integer(name: string, min: number, max: number): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = Number(text);
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    this.mistakes.push(`${name} must be an integer from ${min} to ${max}, but is ${text}`);
    return undefined;
  }

  flag(name: string): boolean {
    const text = this.text(name) ?? 'false';
    if (text !== 'true' && text !== 'false') {
      this.mistakes.push(`${name} must be true or false, but is ${text}`);
    }
    return text === 'true';
  }

  port(name: string, standard: number): number {
    return this.integer(name, 0, 65_535) ?? standard;
  }
}

function readParticipantPorts(
  reader: Reader,
  prefix: string,
  standard: ParticipantPorts,
): ParticipantPorts {
  return {
    ledger: reader.port(`LOCALNET_${prefix}_LEDGER_PORT`, standard.ledger),
    admin: reader.port(`LOCALNET_${prefix}_ADMIN_PORT`, standard.admin),
    validator: reader.port(`LOCALNET_${prefix}_VALIDATOR_PORT`, standard.validator),
    json: reader.port(`LOCALNET_${prefix}_JSON_PORT`, standard.json),
    health: reader.port(`LOCALNET_${prefix}_HEALTH_PORT`, standard.health),
  };
}

const PREFIXES: Readonly<Record<ParticipantName, string>> = {
  'app-user': 'APP_USER',
  'app-provider': 'APP_PROVIDER',
  sv: 'SV',
};

function readPorts(reader: Reader, isSingle: boolean): PortMap {
  const mode = reader.text('LOCALNET_PORTS') ?? 'fixed';
  if (mode !== 'fixed' && mode !== 'free') {
    reader.mistakes.push(`LOCALNET_PORTS must be fixed or free, but is ${mode}`);
  }
  const fixed = isSingle ? SINGLE_PORTS : FIXED_PORTS;
  const standard = mode === 'free' ? FREE_PORTS : fixed;
  const prefixOf = (name: ParticipantName) => (isSingle ? 'SINGLE' : PREFIXES[name]);
  return {
    participants: perParticipant(isSingle, (name) =>
      readParticipantPorts(reader, prefixOf(name), standard.participants[name]),
    ),
    auth: reader.port('LOCALNET_AUTH_PORT', standard.auth),
    registry: reader.port('LOCALNET_REGISTRY_PORT', standard.registry),
    wallet: reader.port('LOCALNET_WALLET_PORT', standard.wallet),
    network: reader.port('LOCALNET_NETWORK_PORT', standard.network),
  };
}

/** Returns where static time starts: at `LOCALNET_STATIC_TIME`, or now; undefined with wall time. */
function readStaticTime(reader: Reader, now: Date): string | undefined {
  const mode = reader.text('LOCALNET_TIME') ?? 'wall';
  const start = reader.text('LOCALNET_STATIC_TIME');
  if (mode === 'static') {
    if (start === undefined) return now.toISOString();
    if (!Number.isNaN(Date.parse(start))) return start;
    reader.mistakes.push(`LOCALNET_STATIC_TIME must be an ISO-8601 instant, but is ${start}`);
    return undefined;
  }
  if (mode !== 'wall') reader.mistakes.push(`LOCALNET_TIME must be wall or static, but is ${mode}`);
  if (start !== undefined) {
    reader.mistakes.push('LOCALNET_STATIC_TIME needs LOCALNET_TIME=static');
  }
  return undefined;
}

function readIssuerBase(reader: Reader): string | undefined {
  const text = reader.text('LOCALNET_ISSUER_BASE');
  if (text === undefined) return undefined;
  if (!/^https?:\/\/[^\s/]+(?:\/[^\s]*)?$/.test(text)) {
    reader.mistakes.push(`LOCALNET_ISSUER_BASE must be an http URL, but is ${text}`);
  }
  return text.replace(/\/+$/, '');
}

function readAuth(reader: Reader): AuthMode | undefined {
  const text = reader.text('LOCALNET_AUTH');
  const mode = AUTH_MODES.find((known) => known === text);
  if (text !== undefined && mode === undefined) {
    reader.mistakes.push(`LOCALNET_AUTH must be ${AUTH_MODES.join(' or ')}, but is ${text}`);
  }
  return mode;
}

/** Returns the scope that every token must have; undefined if tokens are not checked strictly. */
function readStrictScope(reader: Reader): string | undefined {
  const isStrict = reader.flag('LOCALNET_STRICT_TOKENS');
  const scope = reader.text('LOCALNET_TOKEN_SCOPE');
  if (scope !== undefined && !isStrict) {
    reader.mistakes.push('LOCALNET_TOKEN_SCOPE needs LOCALNET_STRICT_TOKENS=true');
  }
  if (scope !== undefined && /\s/.test(scope)) {
    reader.mistakes.push(`LOCALNET_TOKEN_SCOPE must be one scope, but is ${scope}`);
  }
  return isStrict ? (scope ?? LEDGER_API_SCOPE) : undefined;
}

const TRAFFIC_MAX = Number.MAX_SAFE_INTEGER;

function readTraffic(reader: Reader): Pick<LocalnetOptions, 'trafficPrice' | 'trafficBalance'> {
  const { baseCost, costPerByte } = USUAL_PRICE;
  const trafficPrice = {
    baseCost: reader.integer('LOCALNET_TRAFFIC_BASE_COST', 0, TRAFFIC_MAX) ?? baseCost,
    costPerByte: reader.integer('LOCALNET_TRAFFIC_COST_PER_BYTE', 0, 1_000_000) ?? costPerByte,
  };
  const trafficBalance = reader.integer('LOCALNET_TRAFFIC_BALANCE', 0, TRAFFIC_MAX);
  const isUsual = trafficPrice.baseCost === baseCost && trafficPrice.costPerByte === costPerByte;
  return {
    ...(isUsual ? {} : { trafficPrice }),
    ...(trafficBalance === undefined ? {} : { trafficBalance }),
  };
}

/** Returns whether the process stops when its standard input closes, which `LOCALNET_STOP_WITH_STDIN=true` sets. */
export const readStopsWithStdin = (env: Environment = process.env): boolean =>
  new Reader(env).text('LOCALNET_STOP_WITH_STDIN') === 'true';

const DAY_MS = 86_400_000;

/**
 * Reads LocalNet's options from the environment, or throws a {@link LocalnetConfigError} with every mistake in it.
 *
 * - `LOCALNET_DATA_DIR`: folder of the journal; without it nothing is kept
 * - `LOCALNET_DARS`: folder of DARs that are uploaded at the start
 * - `LOCALNET_HOST`: address to listen on
 * - `LOCALNET_PORTS`: `fixed` (the ports of the reference) or `free`
 * - `LOCALNET_<APP_USER|APP_PROVIDER|SV>_<LEDGER|ADMIN|VALIDATOR|JSON|HEALTH>_PORT`,
 *   `LOCALNET_<AUTH|REGISTRY|WALLET|NETWORK>_PORT`: single ports; `0` is a free one
 * - `LOCALNET_SINGLE`: `true` is one participant instead of three, whose ports are `LOCALNET_SINGLE_…_PORT`
 * - `LOCALNET_ISSUER_BASE`: first part of every token's `iss`
 * - `LOCALNET_AUTH`: `oauth2` or `shared-secret`
 * - `LOCALNET_STRICT_TOKENS`: `true` refuses tokens without `exp`, and tokens without the scope `LOCALNET_TOKEN_SCOPE`
 * - `LOCALNET_PARTY_HINT`, or the reference's `PARTY_HINT`
 * - `LOCALNET_TIME`: `wall` or `static`; `LOCALNET_STATIC_TIME`: where static time starts
 * - `LOCALNET_LATENCY_MS`, `LOCALNET_MAX_DEDUPLICATION_MS`, `LOCALNET_CHECKPOINT_INTERVAL_MS`,
 *   `LOCALNET_MAX_COMMANDS_IN_FLIGHT`
 * - `LOCALNET_LEDGER_TIME_TOLERANCE_MS`: how far ledger time and record time may lie apart
 * - `LOCALNET_TIME_PROOF_MS`: silence after which a participant asks for the time; `0` is never
 * - `LOCALNET_TRAFFIC_BASE_COST`, `LOCALNET_TRAFFIC_COST_PER_BYTE`: what a submission costs
 * - `LOCALNET_TRAFFIC_BALANCE`: what each participant of a new ledger may spend; without it there is no limit
 */
export function readLocalnetConfig(
  env: Environment = process.env,
  now: Date = new Date(),
): LocalnetOptions {
  const reader = new Reader(env);
  const isSingle = reader.flag('LOCALNET_SINGLE');
  const options: Writable<LocalnetOptions> = { ports: readPorts(reader, isSingle) };
  if (isSingle) options.isSingle = true;
  const dataDir = reader.text('LOCALNET_DATA_DIR');
  if (dataDir !== undefined) options.dataDir = resolve(dataDir);
  const darFolder = reader.text('LOCALNET_DARS');
  if (darFolder !== undefined) options.darFolder = resolve(darFolder);
  const host = reader.text('LOCALNET_HOST');
  if (host !== undefined) options.host = host;
  const issuerBase = readIssuerBase(reader);
  if (issuerBase !== undefined) options.issuerBase = issuerBase;
  const auth = readAuth(reader);
  if (auth !== undefined) options.auth = auth;
  const strictScope = readStrictScope(reader);
  if (strictScope !== undefined) options.strictScope = strictScope;
  const partyHint = reader.text('LOCALNET_PARTY_HINT') ?? reader.text('PARTY_HINT');
  if (partyHint !== undefined) options.partyHint = partyHint;
  const staticTime = readStaticTime(reader, now);
  if (staticTime !== undefined) options.staticTime = staticTime;
  const latencyMs = reader.integer('LOCALNET_LATENCY_MS', 0, 60_000);
  if (latencyMs !== undefined) options.latencyMs = latencyMs;
  const deduplicationMs = reader.integer('LOCALNET_MAX_DEDUPLICATION_MS', 0, 366 * DAY_MS);
  if (deduplicationMs !== undefined) options.maxDeduplicationDurationMs = deduplicationMs;
  const checkpointMs = reader.integer('LOCALNET_CHECKPOINT_INTERVAL_MS', 10, 60_000);
  if (checkpointMs !== undefined) options.checkpointIntervalMs = checkpointMs;
  const inFlight = reader.integer('LOCALNET_MAX_COMMANDS_IN_FLIGHT', 1, 100_000);
  if (inFlight !== undefined) options.maxCommandsInFlight = inFlight;
  const toleranceMs = reader.integer('LOCALNET_LEDGER_TIME_TOLERANCE_MS', 100, DAY_MS);
  if (toleranceMs !== undefined) options.ledgerTimeToleranceMs = toleranceMs;
  const timeProofMs = reader.integer('LOCALNET_TIME_PROOF_MS', 0, 366 * DAY_MS);
  if (timeProofMs !== undefined) options.timeProofMs = timeProofMs;
  Object.assign(options, readTraffic(reader));
  reader.refuseMisspelt();
  if (reader.mistakes.length > 0) throw new LocalnetConfigError(reader.mistakes.join('\n'));
  return options;
}
