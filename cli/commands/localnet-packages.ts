import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { table } from '../table.ts';
import { errorLine } from '../../src/domain/error-text.ts';
import { askControl } from './localnet-control.ts';
import type { ControlOptions } from './localnet-control.ts';
import { runningLocalnet } from './token.ts';

interface ListedPackage {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly runs: 'native' | 'engine';
  readonly participants: readonly string[];
}

interface Choice {
  readonly name: string;
  readonly consuming: boolean;
  readonly argument: string;
  readonly result: string;
}

interface Module {
  readonly name: string;
  readonly templates: readonly {
    readonly name: string;
    readonly fields: readonly { readonly name: string; readonly type: string }[];
    readonly key?: string;
    readonly choices: readonly Choice[];
    readonly implements: readonly string[];
  }[];
  readonly interfaces: readonly {
    readonly name: string;
    readonly view: string;
    readonly choices: readonly Choice[];
    readonly requires: readonly string[];
  }[];
  readonly types: readonly {
    readonly name: string;
    readonly params: readonly string[];
    readonly kind: string;
    readonly parts: readonly { readonly name: string; readonly type?: string }[];
  }[];
}

interface DescribedPackage {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly languageVersion?: string;
  readonly modules: readonly Module[];
}

/** Lists the packages of all participants, or the contents of one package. */
export async function showPackages(
  wanted: string | undefined,
  options: ControlOptions,
): Promise<void> {
  if (wanted === undefined) printList(await askControl(options, 'GET', '/packages'));
  else printOne(await askControl(options, 'GET', `/packages/${encodeURIComponent(wanted)}`));
}

interface UploadOptions extends ControlOptions {
  /** If true and no LocalNet runs, the command does nothing instead of failing. */
  readonly ifRunning?: boolean;
}

async function whyNotRunning(): Promise<string | null> {
  try {
    await runningLocalnet();
    return null;
  } catch (error) {
    return errorLine(error);
  }
}

/** Uploads DARs to all participants, one after another, and stops at the first one that is refused. */
export async function uploadDars(files: readonly string[], options: UploadOptions): Promise<void> {
  if (options.ifRunning === true && options.url === undefined) {
    const why = await whyNotRunning();
    if (why !== null) {
      const folders = [...new Set(files.map((file) => dirname(file)))].join(' or ');
      return console.log(
        `The package was not uploaded: ${why}\n` +
          `LocalNet runs its own packages. With LOCALNET_DARS=${folders} it begins with this build.`,
      );
    }
  }
  for (const file of files) {
    const dar = await readFile(file);
    const uploaded = await askControl<ListedPackage>(options, 'POST', '/packages', dar).catch(
      (error: unknown) => {
        throw new Error(`${file}: ${errorLine(error)}`, { cause: error });
      },
    );
    const { name, version, id, runs } = uploaded;
    const how = runs === 'engine' ? 'runs as built' : 'runs natively';
    console.log(`${file}: uploaded ${name} ${version}, ${id}; ${how}`);
  }
  return undefined;
}

function printList(packages: readonly ListedPackage[]): void {
  const rows = packages
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .map(({ id, name, version, runs, participants }) => [
      name,
      version,
      runs,
      participants.join(', '),
      id,
    ]);
  console.log(table(['NAME', 'VERSION', 'RUNS', 'PARTICIPANTS', 'ID'], rows));
  const built = packages.filter(({ runs }) => runs === 'engine').length;
  console.log(
    `\n${built} run by the engine, as they were built; ${packages.length - built} natively, by LocalNet's own code`,
  );
}

function printOne({ id, name, version, languageVersion, modules }: DescribedPackage): void {
  const language = languageVersion === undefined ? '' : `, Daml-LF ${languageVersion}`;
  console.log(`${name} ${version}${language}\n${id}`);
  for (const module of modules) {
    const lines = linesOf(module);
    if (lines.length > 0) console.log([`\nmodule ${module.name}`, ...lines].join('\n'));
  }
}

const choiceLines = (choices: readonly Choice[]): readonly string[] =>
  choices.map(
    ({ name, consuming, argument, result }) =>
      `    ${consuming ? '' : 'nonconsuming '}choice ${name} : ${argument} -> ${result}`,
  );

function linesOf({ templates, interfaces, types }: Module): readonly string[] {
  return [
    ...templates.flatMap(({ name, fields, key, choices, implements: implemented }) => [
      `  template ${name}`,
      ...fields.map((field) => `    ${field.name} : ${field.type}`),
      ...(key === undefined ? [] : [`    key ${key}`]),
      ...implemented.map((each) => `    implements ${each}`),
      ...choiceLines(choices),
    ]),
    ...interfaces.flatMap(({ name, view, choices, requires }) => [
      `  interface ${name}`,
      `    view ${view}`,
      ...requires.map((each) => `    requires ${each}`),
      ...choiceLines(choices),
    ]),
    ...types.flatMap(({ name, params, kind, parts }) => [
      `  ${[kind, name, ...params].join(' ')}`,
      ...parts.map((part) => `    ${part.name}${part.type === undefined ? '' : ` : ${part.type}`}`),
    ]),
  ];
}
