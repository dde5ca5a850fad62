import { dirname, normalize } from 'node:path/posix';
import { parseSync } from 'oxc-parser';

/** The folders of the engine, and for each of them the folders that it may import. */
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
/** The folders of `src/app`. They may import each other in one direction only. */
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
/** The contract package. Only the composition root may import it. */
const PACKAGE = 'src/app/licensing';
const core = ['src/domain', 'machines', ...Object.keys(APP).filter((room) => room !== PACKAGE)];
/**
 * The folders of the store, each with the folders that it may import. Only the limits are outside of these folders.
 * `engine` is the store for the engine, and `desk` is the store for the operations desk.
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
/** The types of the tables, which are generated into the folder of the migrations. */
const SCHEMA = 'migrations/schema.ts';
/** All routes may import `kit`. In addition, they may import the declarations of the features that are listed here. */
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
/** Files directly in `src/http` are the server, which may import all of its parts. */
const HTTP: Readonly<Record<string, readonly string[]>> = {
  'src/http': ['src/http/limits.ts', 'src/http/kit', 'src/http/schemas.ts', ...ALL_ROUTES],
  'src/http/limits.ts': [],
  // The schemas are collected from the routes. `kit` uses the type of their names.
  'src/http/schemas.ts': ['src/http/limits.ts', 'src/http/kit', ...ALL_ROUTES],
  'src/http/kit': ['src/http/limits.ts', 'src/http/schemas.ts'],
  ...Object.fromEntries(
    Object.entries(ROUTES).map(([name, others]) => [
      `src/http/routes/${name}`,
      ['src/http/limits.ts', 'src/http/kit', 'src/http/schemas.ts', ...routesOf(others)],
    ]),
  ),
};
/** The folders that code which uses the simulated ledger may import. */
const LEDGER = [
  'localnet/ledger',
  'localnet/ledger/ledger-error.ts',
  'localnet/ledger/lf-types.ts',
];
/**
 * The folders of the simulated network, and files that several of them use. The ledger must not import the code that
 * uses it: services, HTTP interfaces, faults and the authorization server.
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
  'localnet/script': ['localnet/lf', ...LEDGER],
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
 * The folders of the web application, each with the folders that it may import. It uses the product only through its
 * API, with a client that is generated from the OpenAPI document. A group of pages imports no other group.
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
  // Pages that belong to no group: signing in, the first page, and the page for unknown addresses.
  pages: [...PAGE_PARTS, 'shell', 'pages/errors'],
};
const inWeb = (rooms: readonly string[]) => rooms.map((room) => `web/src/${room}`);
const WEB_ROOMS = Object.entries({ ...WEB, ...PAGES });
const adapters = ['src/ledger', 'src/store', 'src/queue', 'src/auth'];
const drivers = ['src/http', 'src/projector', 'src/ops', 'src/doctor', 'workers'];

/** For each folder, the other folders that it may import. This table defines the architecture. */
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
  // Composes PostgreSQL, Redis and LocalNet, which run as child processes, with the product. The product does not
  // import them.
  embedded: ['src/domain', 'src/app/ports', ...Object.keys(HTTP), 'src/main'],
  // `tenure chaos` is a command like any other. Its code is loaded when it is called.
  cli: ['src/domain', 'src/main', 'embedded', 'chaos', 'client', 'cli/cells'],
  // The steps of moving a provider. No code of a running Tenure imports them.
  'cli/cells': [...core, ...adapters, 'src/doctor', 'src/main', ...Object.keys(STORE)],
  // Starts real processes, including an embedded server, and calls them as the demo's callers.
  chaos: ['src/domain', 'src/main', ...Object.keys(STORE), 'embedded', 'cli'],
  ...LOCALNET,
  localnet: ['proto/gen', ...Object.keys(LOCALNET)],
  // LocalNet as a package for other projects, and the code with which the package is built.
  kit: ['localnet', ...Object.keys(LOCALNET)],
  // The code that builds packages, which takes the place of a compiler.
  examples: ['localnet/lf'],
  // The client of the API, and the types from the OpenAPI document.
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
  // The routes and the frame of the pages, which may import the whole application.
  'web/src': inWeb(WEB_ROOMS.map(([room]) => room)),
  // The build of the web application.
  web: [],
};

const FOLDERS = Object.keys(MAY_IMPORT).sort((a, b) => b.length - a.length);

/**
 * Returns the folder in the table that contains a file, or the file itself. If several match, the longest is returned.
 */
export const folderOf = (file: string): string | undefined =>
  FOLDERS.find((folder) => file === folder || file.startsWith(`${folder}/`));

/** Returns the modules that a file imports: by static imports, re-exports, and dynamic imports with a literal. */
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
 * Returns the imports that the table does not permit. Imports of types count too, because they also create a
 * dependency.
 */
export function forbiddenImports(file: string, source: string): string[] {
  const from = folderOf(file);
  if (from === undefined) return [`${file}: in no folder of the table`];
  return (
    specifiersOf(file, source)
      // A document that the bundler includes as text does not count as a module.
      .filter((specifier) => specifier.startsWith('.') && !specifier.endsWith('.md?raw'))
      .map((specifier) => normalize(`${dirname(file)}/${specifier}`))
      .filter((target) => {
        const to = folderOf(target);
        return to === undefined || (to !== from && !(MAY_IMPORT[from] ?? []).includes(to));
      })
      .map((target) => `${file} -> ${target}`)
  );
}
