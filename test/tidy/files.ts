import { execFileSync } from 'node:child_process';

const tracked = (): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    encoding: 'utf8',
  })
    .split('\0')
    .filter((file) => file !== '');

/** Types of the API that a generator writes from docs/openapi.json: see web/tools. */
const GENERATED_CLIENT = 'client/schema.ts';

/** Returns every TypeScript file of the project, including those of proto/gen. */
export const sourceFiles = (): string[] =>
  tracked().filter((file) => /\.tsx?$/u.test(file) && file !== GENERATED_CLIENT);

/** Returns every text file that people read or write in this repository. */
export const textFiles = (): string[] =>
  tracked().filter(
    (file) =>
      /\.(ts|tsx|md|json|yaml|yml|sql|sh|proto|css|html)$|Makefile$|Dockerfile$|\/tenure$/u.test(
        file,
      ) &&
      !file.endsWith('package-lock.json') &&
      file !== GENERATED_CLIENT,
  );
