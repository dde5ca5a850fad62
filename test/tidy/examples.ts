import { readFileSync } from 'node:fs';
import { dirname } from 'node:path/posix';
import { parseSync } from 'oxc-parser';
import { ROOT, compile } from '../kit/compiler.ts';

/** An `@example` in a docstring. */
export interface Example {
  readonly file: string;
  /** The name to which the docstring belongs. */
  readonly of: string;
  /** The line of the file on which the code of the example begins. */
  readonly line: number;
  readonly code: string;
}

const DECLARATION =
  /^\s*(?:(?:export|declare|async|function|class|interface|type|const|static|get) )*(?<name>[#\w]+)/u;

/** Returns the examples in one file. An example ends with its docstring, or at the next tag. */
export function examplesOf(file: string, source: string): readonly Example[] {
  return parseSync(file, source).comments.flatMap(({ start, end, value }) => {
    if (!value.startsWith('*')) return [];
    const of = DECLARATION.exec(source.slice(end))?.groups?.['name'] ?? '';
    const firstLine = source.slice(0, start).split('\n').length;
    const lines = value.split('\n').map((line) => line.replace(/^\s*\*? ?/u, ''));
    return lines.flatMap((tag, at) => {
      if (!tag.startsWith('@example')) return [];
      const rest = lines.slice(at + 1);
      const next = rest.findIndex((line) => /^@\w/u.test(line));
      const code = rest.slice(0, next < 0 ? rest.length : next).join('\n');
      return { file, of, line: firstLine + at + 1, code: code.trimEnd() };
    });
  });
}

const exportsOf = (file: string, source: string): readonly string[] =>
  parseSync(file, source)
    .module.staticExports.flatMap(({ entries }) => entries)
    .flatMap(({ exportName }) => exportName.name ?? []);

/**
 * Returns the file from which a name is imported: the example's own file, the fixture, or the only file that exports
 * the name in the example's folder or in the whole project.
 */
type Origin = (file: string, name: string) => string | undefined;

const FIXTURE = 'test/tidy/examples.fixture.ts';

/** @param written for each example, the file to which it is written, with its exports for other examples */
function originOf(
  files: ReadonlyMap<string, string>,
  written: ReadonlyMap<string, string>,
): Origin {
  const byFile = new Map([...files].map(([file, text]) => [file, new Set(exportsOf(file, text))]));
  const fixture = new Set(exportsOf(FIXTURE, readFileSync(FIXTURE, 'utf8')));
  const exporters = new Map<string, string[]>();
  for (const [file, names] of byFile) {
    for (const name of names) exporters.set(name, [...(exporters.get(name) ?? []), file]);
  }
  return (file, name) => {
    if (byFile.get(file)?.has(name) === true) return `${ROOT}/${file}`;
    if (fixture.has(name)) return `${ROOT}/${FIXTURE}`;
    const all = exporters.get(name) ?? [];
    const near = all.filter((each) => dirname(each) === dirname(file));
    const [only, ...others] = near.length > 0 ? near : all;
    if (only !== undefined && others.length === 0) return `${ROOT}/${only}`;
    return written.get(name);
  };
}

const DECLARED = /\b(?:const|let|function|class|interface|type) (?<name>\w+)/gu;

/**
 * Returns an example as a module. Names that it uses and does not declare are imported; all imports are on the first
 * line.
 */
function moduleOf({ file, code }: Example, origin: Origin): string {
  const own = new Set([...code.matchAll(DECLARED)].map(({ groups }) => groups?.['name']));
  const names = new Set(code.match(/\b[A-Za-z]\w*/gu)?.filter((name) => !own.has(name)));
  const imports = [...names].flatMap((name) => {
    const from = origin(file, name);
    return from === undefined ? [] : `import { ${name} } from '${from}';`;
  });
  return `${imports.join(' ')} export {};\n${code}\n`;
}

/** A name is imported whether it is a type or a value, and an example need not use everything that it declares. */
const OPTIONS = { verbatimModuleSyntax: false, isolatedModules: false, noUnusedLocals: false };

/**
 * Returns the compiler's errors in examples. Each has the file, the line and the name to which the example belongs.
 *
 * @param files the sources whose exports examples may use, by path
 */
export async function wrongExamples(
  examples: readonly Example[],
  files: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const nameOf = (at: number): string => `example-${at}.mts`;
  const made = examples.flatMap(({ file, code }, at) =>
    exportsOf(file, code).map((name) => [name, `./${nameOf(at)}`] as const),
  );
  const origin = originOf(files, new Map(made));
  const modules = examples.map((each, at) => [nameOf(at), moduleOf(each, origin)] as const);
  const said = await compile(Object.fromEntries(modules), [], OPTIONS);
  return said.map(({ file, line, code, text }) => {
    const example = examples.find((_one, at) => nameOf(at) === file);
    if (example === undefined) return `${file}:${line}: ${code} ${text}`;
    // The first line of the module has the imports, so it does not count.
    const at = Math.max(0, line - 2) + example.line;
    return `${example.file}:${at}, example of ${example.of}: ${code} ${text}`;
  });
}
