import { expect, test } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { emptyStore, LICENSE, NOTE, storeWithHistory } from './query-store-rows.ts';

/*
 * To which template or choice a name refers: `package:Module:Entity`, `Module:Entity` or `Entity`, each with or without
 * `:Choice` at its end.
 */

const store = await forFile(storeWithHistory());

test.each(['License', 'Licensing.License:License', LICENSE])(
  '%s means the template',
  async (name) => {
    expect(await store.column('select contract_id from active($1)', name)).toEqual(['lic-2']);
  },
);

test('a template that nobody has created yet has no rows', async () => {
  expect(await store.column(`select contract_id from active('Comment')`)).toEqual([]);
  expect(await store.column(`select contract_id from exercises('Comment:Comment_Edit')`)).toEqual(
    [],
  );
});

test.each([
  ['Invoice', `Ambiguous identifier: Invoice`],
  ['Billing:Invoice', `Ambiguous identifier: Billing:Invoice`],
  ['Nothing', 'Identifier not found: Nothing'],
  ['Wrong:License', 'Identifier not found: Wrong:License'],
  ['wrong:Licensing.License:License', 'Identifier not found: wrong:Licensing.License:License'],
  ['license', 'Identifier not found: license'],
  ['', 'Identifier not found: '],
])('"%s" is refused by every function', async (name, message) => {
  for (const call of [
    'active($1)',
    'creates($1)',
    'archives($1)',
    `lookup_contract('lic-1', $1)`,
  ]) {
    await expect(store.rows(`select * from ${call}`, name)).rejects.toThrow(message);
  }
  await expect(store.rows('select * from exercises($1)', name)).rejects.toThrow(message);
});

test('a wrong name is refused even by a store that has nothing', async () => {
  await using empty = await emptyStore();
  for (const call of [
    `active('x')`,
    `creates('x')`,
    `exercises('x')`,
    `lookup_contract('c', 'x')`,
  ]) {
    await expect(empty.rows(`select * from ${call}`)).rejects.toThrow('Identifier not found: x');
  }
  expect(await empty.column('select contract_id from active()')).toEqual([]);
  expect(await empty.value('select latest_offset()')).toBeNull();
  await expect(empty.rows('select set_latest(1)')).rejects.toThrow('nothing has been projected');
});

test('a choice is known once it has been exercised', async () => {
  expect(await store.column(`select template_fqn || ':' || choice from choice`)).toEqual([
    `${LICENSE}:Archive`,
    `${LICENSE}:License_Expire`,
    `${NOTE}:Archive`,
  ]);
});

test('the full name decides between templates of one name', async () => {
  expect(
    await store.column(`select contract_id from active('billing-old:Billing:Invoice')`),
  ).toEqual([]);
});

test.each([
  ['License_Expire', ['lic-1']],
  ['Licensing.License:License_Expire', ['lic-1']],
  ['licensing:Licensing.License:License_Expire', ['lic-1']],
  ['License:License_Expire', ['lic-1']],
  [`${LICENSE}:License_Expire`, ['lic-1']],
  ['License', ['lic-1', 'lic-2']],
  ['License:Archive', ['lic-2']],
  ['Licensing.Note:Archive', ['note-1']],
  // The choice was never exercised, but its template is known.
  ['License:License_Renew', []],
])('exercises of "%s"', async (name, expected) => {
  expect(await store.column('select contract_id from exercises($1)', name)).toEqual(expected);
});

test.each([
  ['Archive', 'Ambiguous identifier: Archive'],
  ['Invoice:Archive', 'Ambiguous identifier: Invoice:Archive'],
  ['License_Renew', 'Identifier not found: License_Renew'],
  ['Nothing:License_Expire', 'Identifier not found: Nothing:License_Expire'],
])('exercises of "%s" are refused', async (name, message) => {
  await expect(store.rows('select * from exercises($1)', name)).rejects.toThrow(message);
});
