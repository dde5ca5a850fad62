import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';

export const ROOT = resolve(import.meta.dirname, '../..');

export interface Diagnostic {
  /**
   * The path of the file, relative to the root of the project; for a file that was written only for this check, its
   * name.
   */
  readonly file: string;
  readonly line: number;
  readonly code: string;
  readonly text: string;
}

const ERROR = /^(?<file>\S+)\((?<line>\d+),\d+\): error (?<code>TS\d+): (?<text>.*)$/u;

/** @throws Error for a line without a file, which means that the compiler could not start */
function diagnosticOf(line: string, folder: string): Diagnostic {
  const { file = '', line: at, code = '', text = '' } = ERROR.exec(line)?.groups ?? {};
  if (file === '') throw new Error(`the compiler says: ${line}`);
  const path = resolve(ROOT, file);
  const name = path.startsWith(`${folder}/`) ? basename(path) : path.slice(ROOT.length + 1);
  return { file: name, line: Number(at), code, text };
}

/**
 * Makes the project's compiler check files that are written only for this check. The files are outside the project, but
 * are checked with its settings. They import files of the project by absolute paths, and are named `….mts`, because no
 * package declares them to be modules.
 *
 * @param sources files of the project that are also checked, by absolute paths
 * @param options compiler options that differ from the project's
 */
export async function compile(
  written: Readonly<Record<string, string>>,
  sources: readonly string[] = [],
  options: Readonly<Record<string, unknown>> = {},
): Promise<readonly Diagnostic[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tenure-compiled-'));
  try {
    const files = Object.keys(written).map((name) => join(folder, name));
    const project = join(folder, 'tsconfig.json');
    const config = {
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: { typeRoots: [join(ROOT, 'node_modules/@types')], ...options },
      files: [...files, ...sources],
      include: [],
    };
    await writeFile(project, JSON.stringify(config));
    for (const [name, text] of Object.entries(written)) await writeFile(join(folder, name), text);
    const compiler = join(ROOT, 'node_modules/typescript/lib/tsc.js');
    const said = await promisify(execFile)(process.execPath, [compiler, '-p', project], {
      cwd: ROOT,
    }).then(
      () => '',
      (error: { readonly stdout: string }) => error.stdout,
    );
    const lines = said.split('\n').filter((line) => line !== '' && !line.startsWith(' '));
    return lines.map((line) => diagnosticOf(line, folder));
  } finally {
    await rm(folder, { recursive: true });
  }
}
