import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { glob } from 'tinyglobby';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');
const PROTO = join(ROOT, 'proto');
const ENV = {
  ...process.env,
  PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
};

/** Returns the exit status and the output of `buf lint` in a folder. Does not throw if it has findings. */
async function lint(folder: string): Promise<{ status: number; output: string }> {
  try {
    const { stdout } = await run('buf', ['lint'], { cwd: folder, env: ENV });
    return { status: 0, output: stdout };
  } catch (error) {
    const { code, stdout } = error as { code: number; stdout: string };
    return { status: code, output: stdout };
  }
}

/** Returns all files in a folder and its subfolders by path, with their bytes. */
async function snapshot(folder: string): Promise<Map<string, Buffer>> {
  const paths = (await glob(['**/*'], { cwd: folder, dot: true })).toSorted();
  return new Map(
    await Promise.all(
      paths.map(async (path) => [path, await readFile(join(folder, path))] as const),
    ),
  );
}

describe('proto/gen', () => {
  let scratch = '';

  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'tenure-proto-'));
  });
  afterAll(async () => {
    await rm(scratch, { recursive: true, force: true });
  });

  it('is, byte for byte, what proto/generate.sh makes of the .proto files', async () => {
    await run('sh', [join(PROTO, 'generate.sh'), scratch], { env: ENV });
    const generated = await snapshot(join(scratch, 'gen'));
    const committed = await snapshot(join(PROTO, 'gen'));

    expect(generated.size).toBeGreaterThan(30);
    expect([...committed.keys()]).toEqual([...generated.keys()]);
    const stale = [...generated].filter(([path, bytes]) => !committed.get(path)?.equals(bytes));
    expect(stale.map(([path]) => path)).toEqual([]);
  });

  it('has a TypeScript file for every .proto file', async () => {
    const sources = await glob(['**/*.proto'], { cwd: PROTO });
    const generated = new Set(await glob(['**/*.ts'], { cwd: join(PROTO, 'gen') }));
    expect(sources.length).toBeGreaterThan(25);
    expect(sources.filter((path) => !generated.has(path.replace(/proto$/, 'ts')))).toEqual([]);
  });
});

describe('buf lint', () => {
  let scratch = '';

  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'tenure-proto-lint-'));
  });
  afterAll(async () => {
    await rm(scratch, { recursive: true, force: true });
  });

  it('passes with the rules of proto/buf.yaml', async () => {
    expect(await lint(PROTO)).toEqual({ status: 0, output: '' });
  });

  it('bites on a planted mistake', async () => {
    for (const path of ['buf.yaml', 'com', 'google', 'grpc']) {
      await cp(join(PROTO, path), join(scratch, path), { recursive: true });
    }
    await writeFile(
      join(scratch, 'com/daml/ledger/api/v2/planted.proto'),
      'syntax = "proto3";\npackage com.daml.ledger.api.v2;\nmessage planted { string CamelCase = 1; }\n',
    );
    const { status, output } = await lint(scratch);
    expect(status).toBe(100);
    expect(output).toContain('planted.proto');
    expect(output).toContain('PascalCase');
    expect(output).toContain('lower_snake_case');
  });
});
