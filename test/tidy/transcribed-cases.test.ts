import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { transcribedCases } from './transcribed-cases.ts';

/** This number may only become higher. */
const CASES_MIN = 527;

const CONTRACT_TESTS = new URL('../contract/', import.meta.url);

test('cases of the participant’s own suites stay transcribed', () => {
  const cases = new Set<string>();
  for (const name of readdirSync(CONTRACT_TESTS, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.test.ts')) continue;
    for (const each of transcribedCases(readFileSync(new URL(name, CONTRACT_TESTS), 'utf8'))) {
      cases.add(each);
    }
  }
  expect(cases.size).toBeGreaterThanOrEqual(CASES_MIN);
});

test('a title may hold its suite and its case in constants and tables', () => {
  const source = `
    const SUITE = 'OneIT';
    test(\`\${SUITE} First: …\`, () => {});
    test('TwoIT Second: …', () => {});
    const ids = { a: { basic: 'Third' }, b: { basic: 'Fourth' } };
    test(\`\${SUITE} \${ids.basic}: …\`, () => {});
    for (const [id, call] of [['Fifth', 1], ['Sixth', 2]]) test(\`\${SUITE} \${id}: …\`, () => {});
    test('OneIT Eighth, Ninth: …', () => {});
    test('FiveTest says what it does, at once: …', () => {});
    test('six is no suite', () => {});
    test.each([
      ['Tenth', 1],
      ['Eleventh', ['no case', 2]],
    ])('OneIT %s: …', () => {});
    test.each([
      ['TestSix does \\'it\\'', 1],
    ])('%s', () => {});
    describe.each([['ThreeIT', 1], ['FourIT', 2]])('%s', (suite) => {
      test(\`\${suite} Seventh\`, () => {});
    });
  `;
  expect([...transcribedCases(source)].toSorted()).toEqual([
    'FiveTest says what it does, at once',
    'FourIT Seventh',
    'OneIT Eighth',
    'OneIT Eleventh',
    'OneIT Fifth',
    'OneIT First',
    'OneIT Fourth',
    'OneIT Ninth',
    'OneIT Sixth',
    'OneIT Tenth',
    'OneIT Third',
    "TestSix does 'it'",
    'ThreeIT Seventh',
    'TwoIT Second',
  ]);
});
