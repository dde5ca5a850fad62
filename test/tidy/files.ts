import { execFileSync } from 'node:child_process';

const tracked = (): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    encoding: 'utf8',
  })
    .split('\0')
    .filter((file) => file !== '');

/** A file with types of the API that a generator writes from docs/openapi.json: see web/tools. */
const GENERATED_CLIENT = 'client/schema.ts';

/** Returns all TypeScript files of the project, including those in proto/gen. */
export const sourceFiles = (): string[] =>
  tracked().filter((file) => /\.tsx?$/u.test(file) && file !== GENERATED_CLIENT);

/** Returns all text files in this repository that people read or write. */
export const textFiles = (): string[] =>
  tracked().filter(
    (file) =>
      /\.(ts|tsx|md|json|yaml|yml|sql|sh|proto|css|html)$|Makefile$|Dockerfile$|\/tenure$/u.test(
        file,
      ) &&
      !file.endsWith('package-lock.json') &&
      file !== GENERATED_CLIENT,
  );
