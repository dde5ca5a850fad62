import type { ProblemCode } from '../../domain/problems.ts';
import { PROBLEMS, problem } from '../../domain/problems.ts';
import { problemBody } from './problem.ts';

/*
 * Examples for all answers in the OpenAPI document. They are composed of the examples in the schemas, so each member's
 * example is written once, next to its description.
 */

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly minimum?: number;
}

type Schemas = Readonly<Record<string, Schema>>;

interface Media {
  readonly schema?: Schema;
  examples?: Readonly<Record<string, { readonly $ref: string }>>;
}

interface Answer {
  readonly description: string;
  readonly content?: Readonly<Record<string, Media>>;
}

/** The parts of a document from which examples are made. */
export interface Exemplified {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly responses: Readonly<Record<string, Answer>> }>>
    >
  >;
  readonly components: { readonly schemas: Schemas; examples?: Record<string, unknown> };
}

const nameIn = ($ref: string): string => $ref.split('/').at(-1) ?? '';

const ofType = ({ type, format, minimum }: Schema): unknown => {
  const [first] = [type].flat();
  if (first === 'string') return format === 'date-time' ? '2026-01-31T12:00:00.000000Z' : 'text';
  if (first === 'integer' || first === 'number') return minimum ?? 1;
  if (first === 'boolean') return true;
  return first === 'null' ? null : {};
};

function exampleOf(schema: Schema, schemas: Schemas): unknown {
  const { $ref, examples, properties, items } = schema;
  if ($ref !== undefined) return exampleOf(schemas[nameIn($ref)] ?? {}, schemas);
  if (examples?.[0] !== undefined) return examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum?.[0] !== undefined) return schema.enum[0];
  const [choice] = schema.oneOf ?? schema.anyOf ?? [];
  if (choice !== undefined) return exampleOf(choice, schemas);
  if (items !== undefined) return [exampleOf(items, schemas)];
  if (properties === undefined) return ofType(schema);
  const members = Object.entries(properties);
  return Object.fromEntries(members.map(([name, part]) => [name, exampleOf(part, schemas)]));
}

/** Examples for answers that are not JSON and whose schema has no example. */
const TEXTS: Readonly<Record<string, string>> = {
  'text/csv': 'lifecycleId,licenseNum,state\r\nlicense-a1b2c3d4e5f60718293a,1,active\r\n',
  'text/html': '<!doctype html>\n<html lang="en"><body>A page to print</body></html>\n',
  'text/event-stream':
    'retry: 2000\nid: 121\nevent: tenure.operation.succeeded\ndata: {"specversion":"1.0","id":"121"}\n\n',
};

const capitalised = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

const wordsOf = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/u)
    .map(capitalised)
    .join('');

const CODES = Object.keys(PROBLEMS) as ProblemCode[];

/** Returns an example of the first problem in `PROBLEMS` with this status. */
function problemOf(status: number): unknown {
  const code = CODES.find((known) => PROBLEMS[known].status === status) ?? 'INTERNAL';
  return problemBody(problem(code, PROBLEMS[code].title), {
    instance: '/licenses/license-a1b2c3d4e5f60718293a/expire',
    prefix: '',
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    commandId: null,
  });
}

/** Returns an example that several answers of the document share, and its name. */
function sharedExample(type: string, status: string, schema: Schema, schemas: Schemas) {
  const { $ref, items } = schema;
  const value = exampleOf(schema, schemas);
  if ($ref !== undefined) {
    if (!type.startsWith('application/problem')) return { name: nameIn($ref), value };
    return { name: `Problem${status}`, value: problemOf(Number(status)) };
  }
  if (items?.$ref !== undefined) return { name: `${nameIn(items.$ref)}List`, value };
  return null;
}

/** Adds an example to each answer with a body. Equal examples become one component. */
export function addExamples(document: Exemplified): void {
  const { schemas } = document.components;
  const shared: Record<string, unknown> = {};
  const answers = Object.values(document.paths)
    .flatMap((path) => Object.values(path))
    .flatMap(({ responses }) => Object.entries(responses));
  for (const [status, { description, content = {} }] of answers) {
    for (const [type, media] of Object.entries(content)) {
      const schema = media.schema ?? {};
      const text =
        schema.examples === undefined ? (TEXTS[type] ?? description) : schema.examples[0];
      const { name, value } = sharedExample(type, status, schema, schemas) ?? {
        name: wordsOf(type in TEXTS ? type : `${type} ${String(text).slice(0, 40)}`),
        value: text,
      };
      shared[name] = { value };
      media.examples = { example: { $ref: `#/components/examples/${name}` } };
    }
  }
  document.components.examples = shared;
}
