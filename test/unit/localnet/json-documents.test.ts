import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { openApiOf } from '../../../localnet/http/json/documents.ts';
import { OPERATIONS } from '../../../localnet/http/json/operations.ts';

interface Documented {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly schema: object }[];
}

const { paths } = parse(openApiOf(OPERATIONS, '3.5.2')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>;
};

/*
 * Names and types must be the same as in a real participant's document, because client programs are generated from it.
 */
test.each([
  ['post', '/v2/commands/submit-and-wait', 'postV2CommandsSubmit-and-wait'],
  ['delete', '/v2/users/{user-id}', 'deleteV2UsersUser-id'],
  [
    'post',
    '/v2/interactive-submission/executeAndWait',
    'postV2Interactive-submissionExecuteandwait',
  ],
  [
    'post',
    '/v2/interactive-submission/executeAndWaitForTransaction',
    'postV2Interactive-submissionExecuteandwaitfortransaction',
  ],
])('the document names %s %s as a participant does', (method, path, id) => {
  expect(paths[path]?.[method]?.operationId).toBe(id);
});

test('the document says that an offset in a path is a number, and an ID is none', () => {
  const parameterOf = (method: string, path: string) => paths[path]?.[method]?.parameters?.[0];
  expect(parameterOf('get', '/v2/updates/transaction-tree-by-offset/{offset}')).toMatchObject({
    name: 'offset',
    schema: { type: 'integer', format: 'int64' },
  });
  expect(parameterOf('delete', '/v2/users/{user-id}')?.schema).toEqual({ type: 'string' });
});
