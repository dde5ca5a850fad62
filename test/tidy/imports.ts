import { dirname, normalize } from 'node:path/posix';
import { parseSync } from 'oxc-parser';

/** Arrows between the rooms of the core go one way. */
const APP: Readonly<Record<string, readonly string[]>> = {
  'src/app/ports': [],
  'src/app/contract': ['src/app/ports'],
  'src/app/licensing': ['src/app/contract', 'src/app/ports'],
  'src/app/engine': ['src/app/contract', 'src/app/ports'],
  'src/app/desk': ['src/app/engine', 'src/app/contract', 'src/app/ports'],
  'src/app/policies': ['src/app/engine', 'src/app/contract', 'src/app/ports'],
  'src/app/callers': ['src/app/ports'],
};
/** Only who composes the whole knows which contract package it runs. */
const PACKAGE = 'src/app/licensing';
const core = ['src/domain', 'machines', ...Object.keys(APP).filter((room) => room !== PACKAGE)];
const adapters = ['src/ledger', 'src/store', 'src/queue', 'src/auth'];
const drivers = ['src/http', 'src/projector', 'src/ops', 'src/doctor', 'workers'];

/** Folder → folders it may import, besides itself. This table is the architecture. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'proto/gen': [],
  'src/domain': [],
  machines: ['src/domain'],
  ...Object.fromEntries(
    Object.entries(APP).map(([room, rooms]) => [room, ['src/domain', 'machines', ...rooms]]),
  ),
  ...Object.fromEntries(adapters.map((folder) => [folder, core])),
  'src/ledger': [...core, 'proto/gen'],
  ...Object.fromEntries(drivers.map((folder) => [folder, core])),
  'src/main': [...core, PACKAGE, ...adapters, ...drivers],
  // PostgreSQL, Redis and LocalNet as child processes: composes them with the product, which knows nothing of them.
  embedded: ['src/domain', 'src/app/ports', 'src/http', 'src/main'],
  // `tenure chaos` is a command like any other, loaded when it is called.
  cli: ['src/domain', 'src/main', 'embedded', 'chaos'],
  // Starts real processes, an embedded server among them, and calls them as the demo callers do.
  chaos: ['src/domain', 'src/main', 'src/store', 'embedded', 'cli'],
  localnet: ['proto/gen'],
  // Knows the product by its API alone: by the document that its client is generated from.
  'web/src': [],
  // How it is built.
  web: [],
};

const FOLDERS = Object.keys(MAY_IMPORT).sort((a, b) => b.length - a.length);

/** The folder of the table that a file is in; the longest name wins. */
export const folderOf = (file: string): string | undefined =>
  FOLDERS.find((folder) => file.startsWith(`${folder}/`));

/** Every module that a file names: static imports, re-exports and literal dynamic imports. */
function specifiersOf(file: string, source: string): string[] {
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

/** Imports that the table does not allow. Type-only imports count: a type that points up is an arrow up. */
export function forbiddenImports(file: string, source: string): string[] {
  const from = folderOf(file);
  if (from === undefined) return [`${file}: in no folder of the table`];
  return specifiersOf(file, source)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => normalize(`${dirname(file)}/${specifier}`))
    .filter((target) => {
      const to = folderOf(target);
      return to === undefined || (to !== from && !(MAY_IMPORT[from] ?? []).includes(to));
    })
    .map((target) => `${file} -> ${target}`);
}
