import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ApiCommand, Option } from '../../../cli/api/description.ts';
import { FILTER } from '../../../cli/api/filter.ts';
import { LICENSES } from '../../../cli/api/licenses.ts';
import { OPS } from '../../../cli/api/ops.ts';
import { PAYMENTS, STATISTICS } from '../../../cli/api/payments.ts';
import { POLICY, POLICY_MEMBERS } from '../../../cli/api/policy.ts';
import { nameOf } from '../../../cli/api/names.ts';
import { argumentsOf } from '../../../cli/api/run.ts';
import { WEBHOOKS } from '../../../cli/api/webhooks.ts';

/* All routes, parameters and values that the command line uses exist in the OpenAPI document. */

interface Schema {
  readonly $ref?: string;
  readonly type?: unknown;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}
interface Route {
  readonly parameters?: readonly { readonly name: string; readonly schema: Schema }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Route>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const api = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Document;
const JSON_TYPE = 'application/json';

const resolved = (schema: Schema): Schema =>
  schema.$ref === undefined
    ? schema
    : (api.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});

const routeOf = (method: string, path: string): Route | undefined =>
  api.paths[path]?.[method.toLowerCase()];

/** Returns the parameters of a route's query, or the members of its body, by name. */
function takenBy(route: Route): Readonly<Record<string, Schema>> {
  const body = route.requestBody?.content[JSON_TYPE]?.schema;
  if (body !== undefined) return resolved(body).properties ?? {};
  return Object.fromEntries((route.parameters ?? []).map(({ name, schema }) => [name, schema]));
}

/**
 * Returns the path of a command. If an argument may be one of several words or may be omitted, returns several paths.
 */
function pathsOf({ path, choices, usage }: ApiCommand): readonly string[] {
  const optional = /\[(\w+)\]/u.exec(usage)?.[1];
  const both = optional === undefined ? [path] : [path, path.replace(`/{${optional}}`, '')];
  const kinds = choices?.['kind'];
  if (kinds === undefined) return both;
  return both.flatMap((one) => kinds.map((kind) => one.replace('{kind}', kind)));
}

const wordsOf = (schema: Schema | undefined): readonly string[] | undefined =>
  schema?.enum ?? schema?.items?.enum;

function expectTaken(taken: Readonly<Record<string, Schema>>, options: readonly Option[]): void {
  for (const { flags, choices, isRequired, name } of options) {
    const schema = taken[name ?? nameOf(flags)];
    expect(schema, flags).toBeDefined();
    const isYesNo = schema?.type === 'boolean';
    if (choices !== undefined)
      expect(choices, flags).toEqual(isYesNo ? ['true', 'false'] : wordsOf(schema));
    if (isRequired === true) expect(flags).toContain('<');
  }
}

const all = [OPS, POLICY, LICENSES, PAYMENTS, STATISTICS, WEBHOOKS].flatMap((group) =>
  group.commands.map((command) => [`${group.name} ${command.usage}`, command] as const),
);

test.each(all)('tenure %s', (_name, command) => {
  for (const path of pathsOf(command)) {
    const route = routeOf(command.method ?? 'GET', path);
    expect(route, path).toBeDefined();
    if (route === undefined) continue;
    const taken = takenBy(route);
    expectTaken(taken, command.options ?? []);
    for (const name of argumentsOf(command.usage)) {
      if (command.path.includes(`{${name}}`)) continue;
      expect(command.choices?.[name] ?? [], name).toEqual(wordsOf(taken[name]) ?? []);
    }
    const answer = Object.entries(route.responses).find(([status]) => status.startsWith('2'))?.[1];
    const shown = resolved(answer?.content?.[JSON_TYPE]?.schema ?? {});
    if (command.hasSecret !== undefined) expect(shown.properties).toHaveProperty('secret');
    if (shown.type !== 'array') continue;
    const row = resolved(shown.items ?? {});
    expect(command.columns, 'lists have columns').toBeDefined();
    for (const [, at] of command.columns ?? []) {
      expect(Object.keys(row.properties ?? {}), at).toContain(at.split('.')[0]);
    }
    expect('limit' in taken, 'pages').toBe(command.isPaged === true);
    expect('text/csv' in (answer?.content ?? {}), 'files').toBe(command.hasCsv === true);
  }
  expect(
    command.examples.every((one) => one.startsWith(_name.split(' ').slice(0, 2).join(' '))),
  ).toBe(true);
});

describe('what is more than one call', () => {
  test('an act on many operations', () => {
    const body = takenBy(routeOf('POST', '/ops/commands/preview')!);
    expect(wordsOf(body['action'])).toEqual(['retry', 'cancel', 'decide']);
    expect(wordsOf(body['decision'])).toEqual(['took-effect', 'no-effect', 'submit-again']);
    expectTaken(resolved(body['filter'] ?? {}).properties ?? {}, FILTER);
    expect(routeOf('POST', '/ops/commands/apply')).toBeDefined();
  });

  test.each(['expiry', 'renewal'] as const)('a change of the %s policy', (kind) => {
    const { version: _ofTheOneReplaced, ...body } = takenBy(
      routeOf('POST', `/policies/${kind}/preview`)!,
    );
    expectTaken(body, POLICY_MEMBERS[kind]);
    const {
      confirmation,
      version: _alsoReplaced,
      ...set
    } = takenBy(routeOf('PUT', `/policies/${kind}`)!);
    expect([Object.keys(set), confirmation]).toEqual([Object.keys(body), expect.any(Object)]);
    expect(POLICY_MEMBERS[kind].map(({ flags }) => nameOf(flags))).toEqual(Object.keys(body));
  });
});
