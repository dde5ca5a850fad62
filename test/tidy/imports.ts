import { dirname, normalize } from 'node:path/posix';
import { parseSync } from 'oxc-parser';

/** The folders of the engine, each with the folders that it may import. */
const ENGINE: Readonly<Record<string, readonly string[]>> = {
  lanes: [],
  doubts: ['lanes'],
  outcomes: ['doubts', 'lanes'],
  requests: ['outcomes', 'lanes'],
  attempts: ['outcomes', 'lanes'],
  follow: ['outcomes', 'doubts', 'lanes'],
};
const inEngine = (rooms: readonly string[]) => rooms.map((room) => `src/app/engine/${room}`);
const ENGINE_ROOMS = inEngine(Object.keys(ENGINE));
/** The folders of the core, which may import each other only in one direction. */
const APP: Readonly<Record<string, readonly string[]>> = {
  'src/app/ports': [],
  'src/app/contract': ['src/app/ports'],
  'src/app/licensing': ['src/app/contract', 'src/app/ports'],
  ...Object.fromEntries(
    Object.entries(ENGINE).map(([room, rooms]) => [
      `src/app/engine/${room}`,
      [...inEngine(rooms), 'src/app/contract', 'src/app/ports'],
    ]),
  ),
  'src/app/desk': [...ENGINE_ROOMS, 'src/app/contract', 'src/app/ports'],
  'src/app/policies': [...ENGINE_ROOMS, 'src/app/contract', 'src/app/ports'],
  'src/app/subscriptions': [
    'src/app/policies',
    ...ENGINE_ROOMS,
    'src/app/contract',
    'src/app/ports',
  ],
  'src/app/callers': ['src/app/ports'],
};
/** The contract package, which only the composition root knows. */
const PACKAGE = 'src/app/licensing';
const core = ['src/domain', 'machines', ...Object.keys(APP).filter((room) => room !== PACKAGE)];
/**
 * The folders of the store, each with the folders that it may import; only the limits are outside of these folders.
 * `engine` is the store of the core, `desk` the store of the operations desk.
 */
const STORE: Readonly<Record<string, readonly string[]>> = {
  'src/store': [],
  'src/store/sql': [],
  'src/store/rows': ['sql'],
  'src/store/evidence': ['sql', 'rows', 'subscriptions'],
  'src/store/policies': ['sql', 'rows'],
  'src/store/engine': ['sql', 'rows', 'policies'],
  'src/store/webhooks': ['sql', 'rows', 'engine'],
  'src/store/desk': ['sql', 'rows', 'engine', 'product'],
  'src/store/callers': ['sql', 'engine'],
  'src/store/product': ['sql', 'rows', 'engine'],
  'src/store/subscriptions': ['sql', 'engine'],
  'src/store/cells': ['sql'],
  'src/store/validation': ['sql', 'engine', 'product'],
};
/** The types of the tables, generated in the folder of the migrations. */
const SCHEMA = 'migrations/schema.ts';
/** All routes share `kit`; in addition they may import the declarations of the features listed here. */
const ROUTES: Readonly<Record<string, readonly string[]>> = {
  health: [],
  lifecycles: [],
  product: ['lifecycles'],
  operations: [],
  callers: ['lifecycles'],
  contracts: ['lifecycles'],
  policies: ['lifecycles'],
  events: [],
  webhooks: ['lifecycles', 'events'],
  machines: [],
  money: [],
  validation: ['lifecycles'],
  subscriptions: ['lifecycles', 'product'],
  web: [],
  ops: ['lifecycles', 'operations', 'policies', 'webhooks'],
};
const routesOf = (names: readonly string[]) => names.map((name) => `src/http/routes/${name}`);
const ALL_ROUTES = routesOf(Object.keys(ROUTES));
/** Files directly in `src/http` are the server, which may import all parts. */
const HTTP: Readonly<Record<string, readonly string[]>> = {
  'src/http': ['src/http/limits.ts', 'src/http/kit', 'src/http/schemas.ts', ...ALL_ROUTES],
  'src/http/limits.ts': [],
  // The schemas are collected from the routes; `kit` uses the type of their names.
  'src/http/schemas.ts': ['src/http/limits.ts', 'src/http/kit', ...ALL_ROUTES],
  'src/http/kit': ['src/http/limits.ts', 'src/http/schemas.ts'],
  ...Object.fromEntries(
    Object.entries(ROUTES).map(([name, others]) => [
      `src/http/routes/${name}`,
      ['src/http/limits.ts', 'src/http/kit', 'src/http/schemas.ts', ...routesOf(others)],
    ]),
  ),
};
/** The folders that parts in front of the simulated ledger may import. */
const LEDGER = [
  'localnet/ledger',
  'localnet/ledger/ledger-error.ts',
  'localnet/ledger/lf-types.ts',
];
/**
 * The folders of the simulated network, and files that several of them share. The ledger does not depend on its
 * callers: services, HTTP interfaces, faults and the authorization server are in front of it.
 */
const LOCALNET: Readonly<Record<string, readonly string[]>> = {
  'localnet/ports.ts': [],
  'localnet/ledger/ledger-error.ts': [],
  'localnet/ledger/lf-types.ts': [],
  'localnet/lf': ['localnet/ledger/ledger-error.ts', 'localnet/ledger/lf-types.ts'],
  'localnet/ledger': [
    'proto/gen',
    'localnet/ports.ts',
    'localnet/ledger/ledger-error.ts',
    'localnet/ledger/lf-types.ts',
    'localnet/lf',
  ],
  'localnet/topology': ['proto/gen', 'localnet/ledger', 'localnet/ledger/ledger-error.ts'],
  'localnet/log.ts': [],
  'localnet/lazy-validators.ts': [],
  'localnet/listener.ts': ['localnet/lazy-validators.ts'],
  'localnet/arrival.ts': [],
  'localnet/messages': ['proto/gen', ...LEDGER],
  'localnet/faults.ts': ['localnet/ports.ts', ...LEDGER],
  'localnet/faults': ['localnet/ports.ts', 'localnet/faults.ts', ...LEDGER],
  'localnet/auth': [
    'localnet/ports.ts',
    'localnet/log.ts',
    'localnet/listener.ts',
    'localnet/arrival.ts',
    ...LEDGER,
  ],
  'localnet/interactive': ['proto/gen', 'localnet/messages', 'localnet/topology', ...LEDGER],
  'localnet/grpc': [
    'proto/gen',
    'localnet/ports.ts',
    'localnet/log.ts',
    'localnet/faults.ts',
    'localnet/messages',
    'localnet/interactive',
    'localnet/topology',
    'localnet/auth',
    ...LEDGER,
  ],
  'localnet/http': [
    'proto/gen',
    'localnet/ports.ts',
    'localnet/log.ts',
    'localnet/listener.ts',
    'localnet/arrival.ts',
    'localnet/faults.ts',
    'localnet/faults',
    'localnet/messages',
    'localnet/auth',
    'localnet/grpc',
    'localnet/lf',
    ...LEDGER,
  ],
};
/**
 * The folders of the web application, each with the folders that it may import. The application knows the product only
 * by its API, through the OpenAPI document from which its client is generated. A group of pages imports no other group.
 */
const WEB: Readonly<Record<string, readonly string[]>> = {
  'signal.ts': [],
  'paths.ts': [],
  'search.ts': [],
  'preferences.ts': ['signal.ts'],
  api: ['signal.ts'],
  parts: ['api', 'paths.ts', 'signal.ts', 'preferences.ts'],
  chart: ['parts', 'api', 'paths.ts', 'signal.ts'],
  acts: ['parts', 'api', 'signal.ts'],
  live: ['acts', 'api', 'signal.ts'],
  shell: ['live', 'acts', 'parts', 'api', 'paths.ts', 'signal.ts', 'preferences.ts'],
};
const PAGE_PARTS = Object.keys(WEB).filter((room) => room !== 'shell' && room !== 'live');
const PAGES: Readonly<Record<string, readonly string[]>> = {
  'pages/overview': PAGE_PARTS,
  'pages/lifecycles': PAGE_PARTS,
  'pages/product': PAGE_PARTS,
  'pages/settings': PAGE_PARTS,
  'pages/desk': PAGE_PARTS,
  'pages/system': PAGE_PARTS,
  'pages/errors': PAGE_PARTS,
  // Pages outside of the groups: sign-in, the first page, and the page for unknown addresses.
  pages: [...PAGE_PARTS, 'shell', 'pages/errors'],
};
const inWeb = (rooms: readonly string[]) => rooms.map((room) => `web/src/${room}`);
const WEB_ROOMS = Object.entries({ ...WEB, ...PAGES });
const adapters = ['src/ledger', 'src/store', 'src/queue', 'src/auth'];
const drivers = ['src/http', 'src/projector', 'src/ops', 'src/doctor', 'workers'];

/** For each folder, the folders that it may import besides itself. This table is the architecture. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'proto/gen': [],
  [SCHEMA]: core,
  'src/domain': [],
  machines: ['src/domain'],
  ...Object.fromEntries(
    Object.entries(APP).map(([room, rooms]) => [room, ['src/domain', 'machines', ...rooms]]),
  ),
  ...Object.fromEntries(adapters.map((folder) => [folder, core])),
  ...Object.fromEntries(
    Object.entries(STORE).map(([room, rooms]) => [
      room,
      [
        ...core,
        SCHEMA,
        ...[...rooms.map((name) => `src/store/${name}`), 'src/store'].filter(
          (each) => each !== room,
        ),
      ],
    ]),
  ),
  'src/ledger': [...core, 'proto/gen'],
  ...Object.fromEntries(drivers.map((folder) => [folder, core])),
  ...Object.fromEntries(Object.entries(HTTP).map(([room, rooms]) => [room, [...core, ...rooms]])),
  'src/main': [
    ...core,
    PACKAGE,
    ...adapters,
    ...drivers,
    ...Object.keys(STORE),
    ...Object.keys(HTTP),
  ],
  // Composes PostgreSQL, Redis and LocalNet as child processes with the product, which does not import them.
  embedded: ['src/domain', 'src/app/ports', ...Object.keys(HTTP), 'src/main'],
  // `tenure chaos` is a command like any other, loaded when it is called.
  cli: ['src/domain', 'src/main', 'embedded', 'chaos', 'client', 'cli/cells'],
  // The move of a provider, step by step; no code of a running Tenure imports it.
  'cli/cells': [...core, ...adapters, 'src/doctor', 'src/main', ...Object.keys(STORE)],
  // Starts real processes, including an embedded server, and calls them as the demo callers do.
  chaos: ['src/domain', 'src/main', ...Object.keys(STORE), 'embedded', 'cli'],
  ...LOCALNET,
  localnet: ['proto/gen', ...Object.keys(LOCALNET)],
  // LocalNet as a package for other projects, and the code that builds the package.
  kit: ['localnet', ...Object.keys(LOCALNET)],
  // The package builder replaces a compiler.
  examples: ['localnet/lf'],
  // The client of the API, and the types that the OpenAPI document defines.
  'client/schema.ts': [],
  client: ['client/schema.ts'],
  ...Object.fromEntries(
    WEB_ROOMS.map(([room, rooms]) => [
      `web/src/${room}`,
      [
        ...inWeb(rooms),
        'client/schema.ts',
        ...(room === 'api' || room === 'acts' ? ['client'] : []),
      ],
    ]),
  ),
  // The routes and the frame, which may import the whole application.
  'web/src': inWeb(WEB_ROOMS.map(([room]) => room)),
  // The build of the web application.
  web: [],
};

const FOLDERS = Object.keys(MAY_IMPORT).sort((a, b) => b.length - a.length);

/** Returns the folder of the table that contains a file, or the file itself; the longest name is chosen. */
export const folderOf = (file: string): string | undefined =>
  FOLDERS.find((folder) => file === folder || file.startsWith(`${folder}/`));

/** Returns every module that a file names: static imports, re-exports and literal dynamic imports. */
export function specifiersOf(file: string, source: string): string[] {
  const { module } = parseSync(file, source);
  const exported = module.staticExports
    .flatMap((found) => found.entries)
    .flatMap((entry) => entry.moduleRequest?.value ?? []);
  const dynamic = module.dynamicImports.map((found) =>
    source
      .slice(found.moduleRequest.start, found.moduleRequest.end)
      .replaceAll(/^['"`]|['"`]$/gu, ''),
  );
  return [
    ...module.staticImports.map((found) => found.moduleRequest.value),
    ...exported,
    ...dynamic,
  ];
}

/**
 * Returns the imports that the table does not permit. Type-only imports count too, because they also create a
 * dependency.
 */
export function forbiddenImports(file: string, source: string): string[] {
  const from = folderOf(file);
  if (from === undefined) return [`${file}: in no folder of the table`];
  return (
    specifiersOf(file, source)
      // A document that the bundler includes as text is not a module.
      .filter((specifier) => specifier.startsWith('.') && !specifier.endsWith('.md?raw'))
      .map((specifier) => normalize(`${dirname(file)}/${specifier}`))
      .filter((target) => {
        const to = folderOf(target);
        return to === undefined || (to !== from && !(MAY_IMPORT[from] ?? []).includes(to));
      })
      .map((target) => `${file} -> ${target}`)
  );
}
