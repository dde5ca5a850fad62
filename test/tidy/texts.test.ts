import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sourceFiles } from './files.ts';
import { formatsIn, textsIn } from './texts.ts';

const CATALOGUE = 'web/src/texts/';
const PAGES = sourceFiles().filter(
  (file) => file.startsWith('web/src/') && !file.startsWith(CATALOGUE),
);

/** Words that are not for people, by file. `…` stands for a value. */
const NOT_FOR_PEOPLE: Readonly<Record<string, readonly string[]>> = {
  // Messages about mistakes in the program.
  'web/src/api/caller.tsx': ['nobody is signed in here'],
  'web/src/main.tsx': ['the page has no #root'],
  // Style sheets, drawings and selectors.
  'web/src/chart/history.tsx': ['max(1.25rem, …ch)'],
  'web/src/chart/lines.ts': ['L… Q… …', 'M… L… L… Z'],
  'web/src/chart/scene.ts': [
    'M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8ZM8 4.6V8l2.4 1.6',
    'translate(… …) scale(0.69)',
  ],
  'web/src/chart/svg-text.ts': [
    'ui-sans-serif, system-ui, Segoe UI, Roboto, Helvetica Neue, Arial, sans-serif',
  ],
  'web/src/parts/dialog.tsx': ['input, textarea, select'],
  'web/src/shell/keys.tsx': ['main tbody tr a:first-of-type'],
  // The language of Mermaid.
  'web/src/chart/mermaid.ts': [
    '  direction LR',
    '  state "…" as …',
    '  state "…" as …',
    '  class … now',
  ],
  // Keys under which drafts of commands are stored.
  'web/src/pages/lifecycles/ask-install.tsx': ['request /app-install-requests'],
  'web/src/pages/lifecycles/comments.tsx': ['comment …'],
  // Words of the API and of the ledger that the page reads.
  'web/src/pages/lifecycles/actions.tsx': ['only the '],
  'web/src/parts/person.tsx': [' for '],
  'web/src/shell/find.ts': ['License'],
  // The name of a standard.
  'web/src/parts/duration-field.tsx': ['ISO 8601'],
};

test('each text of the web application is in the catalogue', () => {
  const found = PAGES.map((file) => [file, textsIn(file, readFileSync(file, 'utf8'))] as const);
  const texts = Object.fromEntries(found.filter(([, some]) => some.length > 0));
  expect(texts).toEqual(NOT_FOR_PEOPLE);
});

test('numbers, dates and plurals are formatted in one module', () => {
  const files = [...PAGES, ...sourceFiles().filter((file) => file.startsWith(CATALOGUE))];
  const found = files.flatMap((file) =>
    formatsIn(readFileSync(file, 'utf8')).map((line) => `${file}: ${line.trim()}`),
  );
  expect(found.filter((line) => !line.startsWith(`${CATALOGUE}intl.ts`))).toEqual([]);
  expect(found.length, 'the check sees the module').toBeGreaterThan(5);
});

test('the catalogue is what the pages read', () => {
  expect(PAGES.length).toBeGreaterThan(150);
  const readers = PAGES.filter((file) => readFileSync(file, 'utf8').includes('/texts/'));
  expect(readers.length).toBeGreaterThan(100);
});

test.each([
  ['words in an element', `const A = () => <p>Pay now</p>;`, ['Pay now']],
  ['one word in an element', `const A = () => <b>or</b>;`, ['or']],
  ['a word in an expression', `const A = () => <b>{x ? 'yes' : t.no}</b>;`, ['yes']],
  ['a label', `const A = () => <nav aria-label="pages" />;`, ['pages']],
  ['a label in an expression', 'const A = () => <B title={`Pay ${n}`} />;', ['Pay …']],
  ['an attribute of a component', `const A = () => <B note="Pay in time." />;`, ['Pay in time.']],
  ['a column', `const C = [{ name: 'Licence', key: 'Licence 1' }];`, ['Licence']],
  ['a sentence in a function', `const f = () => 'not in time';`, ['not in time']],
  ['a template', 'const f = (n) => `${n} of all`;', ['… of all']],
  ['an argument', `setFault('Enter a name.');`, ['Enter a name.']],
])('the check finds %s', (_what, source, texts) => {
  expect(textsIn('a.tsx', source)).toEqual(texts);
});

test.each([
  `import { A } from './Some file.ts';`,
  `const A = () => <B className="a b" cli="tenure plans list" key="a b" type="submit" />;`,
  `const A = () => <b>{t.payNow}</b>;`,
  `if (kind === 'License') throw new TypeError(code);`,
  `type Said = 'Pay now';`,
  'const url = `/licenses/${id}?a=b`;',
  'const cli = `tenure ops stop ${id}${isAll ? ` --all yes` : ""}`;',
  `const of = { 'Content Type': kind }[name];`,
])('the check leaves code alone: %s', (source) => {
  expect(textsIn('a.tsx', source)).toEqual([]);
});

test.each([
  `count.toLocaleString('en')`,
  `new Intl.NumberFormat('en').format(count)`,
  `(ms / 1_000).toFixed(1)`,
  'count === 1 ? `one` : `more`',
  "`licence${count === 1 ? '' : 's'}`",
])('the check finds a format: %s', (source) => {
  expect(formatsIn(source)).toHaveLength(1);
});
