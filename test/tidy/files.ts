import { execFileSync } from 'node:child_process';

const tracked = (): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    encoding: 'utf8',
  })
    .split('\0')
    .filter((file) => file !== '');

/** Every TypeScript file of the project, generated ones included. */
export const sourceFiles = (): string[] => tracked().filter((file) => file.endsWith('.ts'));

/** Every text file that people read or write here. */
export const textFiles = (): string[] =>
  tracked().filter(
    (file) =>
      /\.(ts|tsx|md|json|yaml|yml|sql|sh|proto|css|html)$|Makefile$|Dockerfile$|\/tenure$/u.test(
        file,
      ) && file !== 'package-lock.json',
  );
