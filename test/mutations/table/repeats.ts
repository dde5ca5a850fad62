import type { Mutation } from '../mutation.ts';
import { test } from '../mutation.ts';

/** Mutations of code that answers repeated requests which record no operation. */
export const REPEATS: readonly Mutation[] = [
  {
    name: 'key-of-another-request',
    file: 'src/store/callers/kept-answers.ts',
    find: '!row.request.equals(request)',
    put: 'row.request.length === 0',
    breaks: 'another request with the same key is answered as if it had been carried out',
    found: test('integration', 'integration/http-idempotency-keys', 'is another request with'),
  },
  {
    name: 'key-stores-the-secret',
    file: 'src/http/kit/kept-answers.ts',
    find: 'return secret === undefined ? payload',
    put: 'return secret !== undefined ? payload',
    breaks: 'the database has the secret of a webhook or a licence key in clear',
    found: test('integration', 'integration/http-idempotency-keys', 'without the secret'),
  },
  {
    name: 'keyed-request-ends-with-its-client',
    file: 'src/http/kit/request-context.ts',
    find: 'reply.request.keyed === null',
    put: 'reply.request.keyed !== undefined',
    breaks: 'a request whose client disconnects stays without a known outcome for a day',
    found: test('integration', 'integration/http-idempotency-keys', 'although its client has gone'),
  },
];
