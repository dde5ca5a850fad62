import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';

interface Media {
  readonly schema: object;
  readonly examples?: { readonly example?: { readonly $ref: string } };
}

interface Operation {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, Media>> }>
  >;
}

const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as {
  readonly components: { readonly examples: Readonly<Record<string, { readonly value: unknown }>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

test('every answer with a body has an example that its schema takes', () => {
  const { components, paths } = document;
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(document, 'document');
  const contents = Object.values(paths)
    .flatMap((path) => Object.values(path))
    .flatMap(({ responses }) => Object.values(responses))
    .flatMap(({ content = {} }) => Object.values(content));
  const pairs = new Set(
    contents.map(({ schema, examples }) =>
      JSON.stringify([examples?.example?.$ref, schema]).replaceAll('"#/', '"document#/'),
    ),
  );
  const wrong = [...pairs].flatMap((pair) => {
    const [$ref, schema] = JSON.parse(pair) as [string | null, object];
    const example = components.examples[$ref?.split('/').at(-1) ?? 'none']?.value;
    const isGood = ajv.compile(schema);
    return isGood(example) ? [] : [`${$ref} ${ajv.errorsText(isGood.errors)}`];
  });
  expect(wrong).toEqual([]);
  expect(contents.length).toBeGreaterThan(1_000);
});
