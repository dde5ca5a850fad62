type Plain = string | number | boolean | null | readonly Plain[] | object;

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;
const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

/** What needs no quotes, and is no number, date, flag or null to any reader of YAML. */
const BARE = /^[A-Za-z/$][\w./$-]*$/;
const WORDS = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

const scalar = (value: unknown): string =>
  typeof value === 'string' && BARE.test(value) && !WORDS.test(value)
    ? value
    : JSON.stringify(value);

function linesOf(value: Plain, indent: string): string[] {
  if (Array.isArray(value)) {
    return (value as readonly Plain[]).flatMap((item) => {
      if (isScalar(item) || isEmpty(item as object)) return [`${indent}- ${inline(item)}`];
      const [first = '', ...rest] = linesOf(item, `${indent}  `);
      return [`${indent}- ${first.trimStart()}`, ...rest];
    });
  }
  return Object.entries(value as Readonly<Record<string, Plain>>).flatMap(([key, item]) => {
    if (isScalar(item) || isEmpty(item as object)) {
      return [`${indent}${scalar(key)}: ${inline(item)}`];
    }
    return [`${indent}${scalar(key)}:`, ...linesOf(item, `${indent}  `)];
  });
}

const inline = (value: Plain): string => {
  if (isScalar(value)) return scalar(value);
  return Array.isArray(value) ? '[]' : '{}';
};

/** A plain object as YAML: blocks, with quotes only where they are needed. */
export const yamlOf = (value: object): string => `${linesOf(value, '').join('\n')}\n`;
