import { execFileSync } from 'node:child_process';

/** Builds the web application once for all tests of a run, into `web/dist`, from which role `api` serves it. */
export default function setup(): void {
  execFileSync(process.execPath, ['web/build.ts'], { stdio: 'inherit' });
}
