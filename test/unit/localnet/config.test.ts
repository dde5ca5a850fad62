import { describe, expect, test } from 'vitest';
import {
  LocalnetConfigError,
  readLocalnetConfig,
  readStopsWithStdin,
} from '../../../localnet/config.ts';
import { FIXED_PORTS, FREE_PORTS, SINGLE_PORTS } from '../../../localnet/ports.ts';

const NOW = new Date('2026-11-21T10:00:00Z');
const read = (env: Record<string, string>) => readLocalnetConfig(env, NOW);

describe('LocalNet’s environment', () => {
  test('may be empty', () => {
    expect(read({})).toEqual({ ports: FIXED_PORTS });
    expect(read({ LOCALNET_DATA_DIR: '', LOCALNET_LATENCY_MS: ' ' })).toEqual({
      ports: FIXED_PORTS,
    });
  });

  test('can say everything', () => {
    expect(
      read({
        LOCALNET_DATA_DIR: '/var/lib/localnet',
        LOCALNET_DARS: '/usr/share/dars',
        LOCALNET_HOST: '0.0.0.0',
        LOCALNET_PORTS: 'free',
        LOCALNET_AUTH_PORT: '8082',
        LOCALNET_APP_PROVIDER_LEDGER_PORT: '3901',
        LOCALNET_ISSUER_BASE: 'http://keycloak.localhost:8082/',
        LOCALNET_AUTH: 'shared-secret',
        LOCALNET_STRICT_TOKENS: 'true',
        LOCALNET_TOKEN_SCOPE: 'ledger',
        LOCALNET_PARTY_HINT: 'my-shop-1',
        LOCALNET_TIME: 'static',
        LOCALNET_STATIC_TIME: '2030-01-01T00:00:00Z',
        LOCALNET_LATENCY_MS: '25',
        LOCALNET_MAX_DEDUPLICATION_MS: '30000',
        LOCALNET_CHECKPOINT_INTERVAL_MS: '100',
        LOCALNET_MAX_COMMANDS_IN_FLIGHT: '30',
      }),
    ).toEqual({
      dataDir: '/var/lib/localnet',
      darFolder: '/usr/share/dars',
      host: '0.0.0.0',
      ports: {
        ...FREE_PORTS,
        auth: 8082,
        participants: {
          ...FREE_PORTS.participants,
          'app-provider': { ...FREE_PORTS.participants['app-provider'], ledger: 3901 },
        },
      },
      issuerBase: 'http://keycloak.localhost:8082',
      auth: 'shared-secret',
      strictScope: 'ledger',
      partyHint: 'my-shop-1',
      staticTime: '2030-01-01T00:00:00Z',
      latencyMs: 25,
      maxDeduplicationDurationMs: 30_000,
      checkpointIntervalMs: 100,
      maxCommandsInFlight: 30,
    });
  });

  test('can refuse tokens without the scope of the Ledger API', () => {
    expect(read({ LOCALNET_STRICT_TOKENS: 'true' }).strictScope).toBe('daml_ledger_api');
    expect(read({}).strictScope).toBeUndefined();
  });

  test('can ask for one participant, with ports of its own', () => {
    expect(read({ LOCALNET_SINGLE: 'true' })).toEqual({ isSingle: true, ports: SINGLE_PORTS });
    const { ledger, admin, health, json } = SINGLE_PORTS.participants['app-user'];
    expect([ledger, admin, health, json]).toEqual([5001, 5002, 5003, 7575]);
    const { participants } = read({ LOCALNET_SINGLE: 'true', LOCALNET_SINGLE_JSON_PORT: '7576' })
      .ports as typeof SINGLE_PORTS;
    expect(Object.values(participants).map((ports) => ports.json)).toEqual([7576, 7576, 7576]);
  });

  test('starts static time now unless told otherwise', () => {
    expect(read({ LOCALNET_TIME: 'static' }).staticTime).toBe(NOW.toISOString());
  });

  test('understands the reference’s party hint, and prefers its own', () => {
    expect(read({ PARTY_HINT: 'a-b-1' }).partyHint).toBe('a-b-1');
    expect(read({ PARTY_HINT: 'a-b-1', LOCALNET_PARTY_HINT: 'c-d-2' }).partyHint).toBe('c-d-2');
  });

  test('is refused with all its mistakes at once', () => {
    const wrong = () =>
      read({
        LOCALNET_PORTS: 'some',
        LOCALNET_SINGLE: 'yes',
        LOCALNET_AUTH_PORT: '70000',
        LOCALNET_TIME: 'fast',
        LOCALNET_STATIC_TIME: 'noon',
        LOCALNET_LATENCY_MS: '-1',
        LOCALNET_ISSUER_BASE: 'keycloak',
        LOCALNET_AUTH: 'none',
        LOCALNET_TOKEN_SCOPE: 'ledger',
      });
    expect(wrong).toThrow(LocalnetConfigError);
    for (const name of [
      'PORTS',
      'SINGLE',
      'AUTH_PORT',
      'TIME',
      'STATIC_TIME',
      'LATENCY_MS',
      'ISSUER_BASE',
      'AUTH',
      'TOKEN_SCOPE',
    ]) {
      expect(wrong).toThrow(`LOCALNET_${name} `);
    }
  });

  test('holds no name of its own that it does not know', () => {
    expect(() => read({ LOCALNET_PORT: '1', LOCALNET_SINGEL: 'true' })).toThrow(
      'LOCALNET_PORT is no setting of this LocalNet\nLOCALNET_SINGEL is no setting of this LocalNet',
    );
    expect(() => read({ LOCALNET_SINGLE_JSON_PORT: '1' })).toThrow(
      'LOCALNET_SINGLE_JSON_PORT is no',
    );
    expect(read({ LOCALNET_STOP_WITH_STDIN: 'true', LOCALNET_ODD: '' })).toEqual({
      ports: FIXED_PORTS,
    });
  });

  test('says whether the process ends with its standard input', () => {
    expect([
      readStopsWithStdin({}),
      readStopsWithStdin({ LOCALNET_STOP_WITH_STDIN: 'true' }),
    ]).toEqual([false, true]);
  });
});
