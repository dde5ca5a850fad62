import type { LfType } from './lf-types.ts';
import { dateText, timestampText } from './lf-values.ts';

/*
 * Daml's derived `Show`, with which contracts put values into texts. A constructor with arguments is put in parentheses
 * if it is itself an argument.
 */

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

const quoted = (text: string) =>
  `"${text.replace(/["\\\n\r\t]/g, (character) => ESCAPES[character] ?? character)}"`;

/** Shows a numeric without trailing zeros, except for the first digit after the point: `1.5`, `2.0`. */
export const showNumeric = (canonical: string): string => {
  const [whole = '0', fraction = ''] = canonical.split('.');
  return `${whole}.${fraction.replace(/0+$/, '') || '0'}`;
};

const showParty = (party: string) => `'${party}'`;

const inParentheses = (text: string, isArgument: boolean) => (isArgument ? `(${text})` : text);

function showRecord(
  { name, fields }: LfType & { readonly kind: 'record' },
  value: Readonly<Record<string, unknown>>,
  isArgument: boolean,
): string {
  const constructor = name.entity.split('.').at(-1) ?? name.entity;
  if (fields.length === 0) return constructor;
  const shown = fields.map((field) => `${field.name} = ${show(field.type, value[field.name])}`);
  return inParentheses(`${constructor} {${shown.join(', ')}}`, isArgument);
}

function showVariant(
  { constructors }: LfType & { readonly kind: 'variant' },
  { tag, value }: { readonly tag: string; readonly value: unknown },
  isArgument: boolean,
): string {
  const type = constructors.find(({ name }) => name === tag)?.type;
  if (type === undefined || type.kind === 'unit') return tag;
  if (type.kind === 'record' && type.name.entity.endsWith(`.${tag}`)) {
    return show(type, value, isArgument);
  }
  return inParentheses(`${tag} ${show(type, value, true)}`, isArgument);
}

/** @param isArgument whether the text is an argument of a constructor */
export function show(type: LfType, value: unknown, isArgument = false): string {
  switch (type.kind) {
    case 'unit':
      return '()';
    case 'bool':
      return value === true ? 'True' : 'False';
    case 'int64':
      return inParentheses(String(value), isArgument && (value as bigint) < 0n);
    case 'numeric':
      return inParentheses(
        showNumeric(value as string),
        isArgument && (value as string).startsWith('-'),
      );
    case 'date':
      return dateText(value as number);
    case 'timestamp':
      return timestampText(value as bigint);
    case 'text':
      return quoted(value as string);
    case 'party':
      return showParty(value as string);
    case 'contractId':
      return '<contract-id>';
    case 'enum':
      return value as string;
    case 'optional': {
      const optional = value as { readonly some: unknown } | null;
      if (optional === null) return 'None';
      return inParentheses(`Some ${show(type.of, optional.some, true)}`, isArgument);
    }
    case 'list':
      return `[${(value as readonly unknown[]).map((item) => show(type.of, item)).join(',')}]`;
    case 'textMap': {
      const entries = Array.from(
        value as ReadonlyMap<string, unknown>,
        ([key, item]) => `(${quoted(key)},${show(type.of, item)})`,
      );
      return `TextMap [${entries.join(',')}]`;
    }
    case 'genMap': {
      const entries = (value as readonly (readonly [unknown, unknown])[]).map(
        ([key, item]) => `(${show(type.key, key)},${show(type.value, item)})`,
      );
      return `Map [${entries.join(',')}]`;
    }
    case 'record':
      return showRecord(type, value as Readonly<Record<string, unknown>>, isArgument);
    case 'variant':
      return showVariant(type, value as { tag: string; value: unknown }, isArgument);
    default:
      throw new TypeError(`no such LF type: ${JSON.stringify(type satisfies never)}`);
  }
}
