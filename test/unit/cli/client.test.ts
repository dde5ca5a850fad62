import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiAt } from '../../../cli/api/client.ts';
import { ask } from '../../../cli/ask.ts';
import { keepSecret } from '../../../cli/api/secret.ts';
import { CommandError, EXIT } from '../../../cli/exit.ts';

/* Unexpected answers of an API, as sent over HTTP. */

const TOKEN = 'token-that-nobody-may-see';

/**
 * A server that answers with the status in the path. It answers 429 once, with the delay that follows in the path, in
 * seconds.
 */
const server = createServer((request, response) => {
  const [, status = '', afterS] = (request.url ?? '').split('/');
  const code = status === '599' ? undefined : `CODE_${status}`;
  response.writeHead(Number(status), {
    'content-type': 'application/problem+json',
    ...(afterS === undefined ? {} : { 'retry-after': afterS }),
    ...(status === '302' ? { location: '/200' } : {}),
  });
  response.end(JSON.stringify({ code, detail: 'It is so', traceId: 'abc' }));
});
let url: string;

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

async function refused(path: string, at = url): Promise<CommandError> {
  const error = await apiAt({ url: at, token: TOKEN })
    .call({ method: 'GET', path })
    .then(
      () => null,
      (reason: unknown) => reason,
    );
  if (!(error instanceof CommandError)) throw new Error(`${path} was not refused`);
  expect(error.message).not.toContain(TOKEN);
  expect(error.message).not.toContain('\n');
  return error;
}

describe('an answer that is none', () => {
  test.each([
    ['/400', EXIT.refused, 'Correct the command line: --help lists the arguments and options.'],
    ['/401', EXIT.refused, 'Set TENURE_TOKEN to an access token that has not expired.'],
    [
      '/403',
      EXIT.refused,
      'Use a caller with the permission: another TENURE_TOKEN or, on LocalNet, --as.',
    ],
    [
      '/404',
      EXIT.notFound,
      'Check the ID and the caller: a caller cannot see objects of another party.',
    ],
    [
      '/409',
      EXIT.refused,
      'Check the current state, and repeat the command if the action is still needed.',
    ],
    [
      '/412',
      EXIT.refused,
      'Another caller has changed the object: read it, and repeat the command.',
    ],
    ['/415', EXIT.refused, 'Correct the command line: --help lists the arguments and options.'],
    ['/422', EXIT.refused, 'Correct the given values: --help lists the arguments and options.'],
    ['/429', EXIT.cannot, 'Repeat the command later.'],
    ['/429/40', EXIT.cannot, 'Repeat the command in 40 s.'],
    ['/500', EXIT.cannot, 'Read the log of Tenure, and run tenure doctor.'],
    [
      '/503/1',
      EXIT.cannot,
      'Repeat the command in a moment. If the error persists, run tenure doctor.',
    ],
  ])('%s: exit code %d and one line', async (path, exitCode, todo) => {
    const error = await refused(path);
    const told = `CODE_${path.split('/')[1]}: It is so. ${todo} (trace abc)`;
    expect({ exitCode: error.exitCode, message: error.message }).toEqual({
      exitCode,
      message: told,
    });
  });

  test('in the place of a file', async () => {
    const asked = apiAt({ url, token: TOKEN }).file({ method: 'GET', path: '/404' });
    await expect(asked).rejects.toMatchObject({ exitCode: EXIT.notFound });
  });

  test('of something else than Tenure', async () => {
    const { exitCode, message } = await refused('/599');
    expect(exitCode).toBe(EXIT.cannot);
    expect(message).toMatch(/^the answer with status 599 does not come from Tenure\. /u);
  });

  test('that leads elsewhere: the token does not go there', async () => {
    expect(await refused('/302')).toMatchObject({ exitCode: EXIT.cannot });
  });

  test('nobody there', async () => {
    const nobody = createServer();
    await new Promise<void>((done) => nobody.listen(0, '127.0.0.1', done));
    const { port } = nobody.address() as AddressInfo;
    await new Promise((done) => nobody.close(done));
    const { exitCode, message } = await refused('/200', `http://127.0.0.1:${port}`);
    expect(exitCode).toBe(EXIT.cannot);
    expect(message).toMatch(
      /^no answer from the API at http:\S+: .*ECONNREFUSED.* Check that Tenure runs and that TENURE_API_URL is correct\.$/u,
    );
  });
});

describe('a part of LocalNet that does not answer', () => {
  test('is named with its address, and the wait that is over is told in words', async () => {
    const silent = createServer(() => {
      // The server accepts the request but never answers it.
    });
    await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
    const at = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    await expect(ask('the participant', `${at}/v2/version`, 50)).rejects.toThrow(
      `no answer from the participant at ${at}: no data arrived within 0.05 s. Check that the server runs.`,
    );
    silent.closeAllConnections();
    await new Promise((done) => silent.close(done));
    await expect(ask('the participant', at, 5_000)).rejects.toThrow(
      /^no answer from the participant at http:\S+: connect ECONNREFUSED/u,
    );
  });
});

describe('a secret that is shown once', () => {
  let folder: string;
  beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'tenure-secret-'))));
  afterAll(async () => rm(folder, { recursive: true, force: true }));

  test('goes into a file of its own and nowhere else', async () => {
    const file = join(folder, 'a');
    const told = await keepSecret(
      file,
      async () => '{"id":"wh_1","secret":"whsec_x","failures":0}',
    );
    expect(JSON.parse(told)).toEqual({ id: 'wh_1', failures: 0 });
    expect(await readFile(file, 'utf8')).toBe('whsec_x\n');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    // The file exists now, so no new secret is requested, and the file is not changed.
    const again = keepSecret(file, () => Promise.reject(new Error('asked')));
    await expect(again).rejects.toMatchObject({ exitCode: EXIT.usage });
    expect(await readFile(file, 'utf8')).toBe('whsec_x\n');
  });

  test('leaves no file where there is none', async () => {
    const file = join(folder, 'b');
    await expect(keepSecret(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });
});
