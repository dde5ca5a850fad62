/*
 * Which cases of the participant's own conformance suites are transcribed. A title begins with the suite's class and
 * the case's ID; both may stand in constants and in tables of the same file.
 */

const TITLE = /test\(\s*(?:`|')(?:\$\{(\w+)\}|(\w+IT)) (\w+|\$\{[^}]+\})/g;

/** The suites that a name stands for: its own, or those of a table, where it is a table's parameter. */
function suitesOf(source: string, name: string): string[] {
  const constant = new RegExp(`const ${name} = '(\\w+IT)'`).exec(source)?.[1];
  if (constant !== undefined) return [constant];
  return [...source.matchAll(/\[\s*'(\w+IT)',/g)].flatMap(([, suite]) => suite ?? []);
}

/** The IDs that an expression stands for: those of the last table before it, or of all properties of its name. */
function idsOf(source: string, at: number, expression: string): string[] {
  const property = /\.(\w+)\}$/.exec(expression)?.[1];
  if (property !== undefined) {
    const values = source.matchAll(new RegExp(`\\b${property}: '(\\w+)'`, 'g'));
    return [...values].flatMap(([, id]) => id ?? []);
  }
  const before = source.slice(0, at);
  const table = before.slice(before.lastIndexOf('for (const ['));
  return [...table.matchAll(/\[\s*'([A-Z]\w+)',/g)].flatMap(([, id]) => id ?? []);
}

/** `Suite Case` of every case that a file transcribes. */
export function transcribedCases(source: string): Set<string> {
  const cases = new Set<string>();
  for (const match of source.matchAll(TITLE)) {
    const [, name, literal, id = ''] = match;
    const suites = literal === undefined ? suitesOf(source, name ?? '') : [literal];
    const ids = id.startsWith('$') ? idsOf(source, match.index, id) : [id];
    for (const suite of suites) for (const each of ids) cases.add(`${suite} ${each}`);
  }
  return cases;
}
