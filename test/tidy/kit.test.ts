import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { textFiles } from './files.ts';

/* The packages and their examples must have this project's version, and its versions of dependencies. */

interface Manifest {
  readonly version: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const manifest = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Manifest;
const [own, kit] = [manifest('package.json'), manifest('kit/package.json')];

test('the kit has the version, the licence and the dependencies of the project', () => {
  expect([kit.version, kit.license]).toEqual([own.version, own.license]);
  const same = Object.fromEntries(
    Object.keys(kit.dependencies).map((name) => [name, own.dependencies[name]]),
  );
  expect(kit.dependencies).toEqual(same);
});

test('the client has the version and the licence of the project, and no dependencies', () => {
  const { version, license, ...rest } = manifest('client/package.json');
  expect([version, license]).toEqual([own.version, own.license]);
  expect(Object.keys(rest).filter((key) => /dependencies/iu.test(key))).toEqual([]);
});

test('examples depend on this version of the packages', () => {
  const examples = textFiles().filter((file) => /^examples\/[^/]+\/package\.json$/u.test(file));
  const versions = examples.flatMap((file) => {
    const { dependencies, devDependencies } = manifest(file);
    const ours = Object.entries({ ...dependencies, ...devDependencies });
    return ours.filter(([name]) => name.startsWith('tenure-')).map(([, version]) => version);
  });
  expect(versions.length).toBeGreaterThan(1);
  expect(new Set(versions)).toEqual(new Set([own.version]));
});

test('lock files name no place that packages are fetched from', () => {
  const { packages } = JSON.parse(
    readFileSync('examples/licence-desk/package-lock.json', 'utf8'),
  ) as { readonly packages: Readonly<Record<string, object>> };
  expect(Object.keys(packages).length).toBeGreaterThan(1);
  expect(Object.keys(packages).filter((name) => 'resolved' in (packages[name] ?? {}))).toEqual([]);
});

test('licence and notice go with the package', () => {
  // npm includes a licence file even if it is not listed.
  const { files } = JSON.parse(readFileSync('kit/package.json', 'utf8')) as {
    readonly files: readonly string[];
  };
  expect(files).toContain('NOTICE');
});
