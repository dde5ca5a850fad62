import { expect, test } from 'vitest';
import { defineLifecycle } from '../../machines/machine-kit.ts';
import { install } from '../../machines/install.machine.ts';
import { PARTY, TEXT, record } from '../../src/app/contract/lf.ts';
import { defineOperation } from '../../src/app/contract/operation.ts';
import { defineTemplate } from '../../src/app/contract/template.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import type { ContractId, Party } from '../../src/domain/ids.ts';
import { parseCommandId, parseParty } from '../../src/domain/ids.ts';
import { fail } from '../../src/domain/problems.ts';
import { statement } from '../../src/store/sql/statement.ts';

/*
 * Code that must not compile. The compiler does the test: if an expected error does not occur, this is reported as an
 * error. Vitest only checks that the same lines run.
 */

const archive = (contractId: ContractId): string => contractId;
const tell = (party: Party): string => party;

test('ids do not mix, and a text is none', () => {
  // @ts-expect-error -- a command ID is no contract ID
  expect(archive(parseCommandId('c-1'))).toBe('c-1');
  // @ts-expect-error -- a text that was not checked
  expect(tell('alice::1220')).toBe('alice::1220');
  expect(tell(parseParty('alice::1220'))).toBe('alice::1220');
});

test('a failure has a code of the table', () => {
  // @ts-expect-error -- no such code
  expect(() => fail('LICENCE_LOST', 'where is it?')).toThrow();
});

test('a limit is one that there is, and stays what it is', () => {
  // @ts-expect-error -- no such limit
  expect(LIMITS.patienceMs).toBeUndefined();
  expect(() => {
    // @ts-expect-error -- limits are read-only
    LIMITS.pageSizeMax += 0;
  }).not.toThrow();
});

test('an action of a lifecycle asks for an event of its machine', () => {
  const cancel = { name: 'cancel', role: 'either', verb: 'cancel' } as const;
  const misspelt = defineLifecycle({
    ...install,
    // @ts-expect-error -- a misspelt event
    actions: [{ ...cancel, event: 'install.cancle' }],
  });
  expect(misspelt.kind).toBe('install');
});

const NAME = { packageName: 'shop', moduleName: 'Shop', entityName: 'Installed' } as const;
const INSTALLED = { name: NAME, fields: { seller: PARTY, buyer: PARTY, note: TEXT } } as const;

test('a template reads its own required fields, and ends by events of its machine', () => {
  const lifecycle = { word: 'Installed', body: () => ({}) };
  const Installed = defineTemplate(install, {
    ...INSTALLED,
    required: ['seller', 'buyer'],
    lifecycle: {
      ...lifecycle,
      read: ({ seller, buyer, note }) => ({
        provider: seller,
        appUser: buyer,
        // @ts-expect-error -- a field that may be absent
        input: { numLicensesCreated: note },
      }),
      // @ts-expect-error -- a misspelt event
      endings: { Archive: { event: 'ledger.installCanceled', state: 'cancelled' } },
    },
  });
  expect(Installed.name).toBe(NAME);
});

test('an operation makes the argument that its choice takes', () => {
  const cancel = defineOperation(install, {
    name: 'cancel-install',
    action: 'cancel',
    actAs: 'caller',
    command: {
      kind: 'choice',
      template: NAME,
      name: 'Cancel',
      argument: record({ note: TEXT }),
      consequence: { kind: 'ends', event: 'ledger.installCancelled', state: 'cancelled' },
    },
    // @ts-expect-error -- a note is a text
    argument: () => ({ note: 17 }),
    answer: () => ({ status: 204, body: null }),
  });
  expect(cancel.name).toBe('cancel-install');
});

test('the rows of a statement are of its type', () => {
  const found = statement<{ readonly id: string }>('test-types', 'select id from change');
  // @ts-expect-error -- a statement that returns other rows
  const other: ReturnType<typeof statement<{ readonly lane: string }>> = found;
  expect(other).toBe(found);
});
