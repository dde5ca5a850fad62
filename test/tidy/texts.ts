import { parseSync } from 'oxc-parser';

/*
 * Finds text for people in the sources of the web application. Texts belong in the catalogue, web/src/texts, and
 * formats of numbers, dates and plurals in its module `intl.ts`.
 */

/** Attributes whose words are never shown, such as names of classes and commands for a terminal. */
const NOT_SHOWN =
  /^(?:d|className|style|key|type|url|href|rel|role|icon|tone|look|as|cli|data-.+)$/u;
/** Attributes that are shown, so that even a single word in lower case is a text. */
const SHOWN =
  /^(?:title|label|alt|placeholder|hint|verb|done|over|legend|text|what|lead|aria-.+)$/u;
/** ARIA attributes with fixed values. */
const FIXED =
  /^aria-(?:hidden|live|current|pressed|expanded|haspopup|controls|activedescendant|labelledby|describedby|modal|sort|busy)$/u;
/** Commands, addresses, selectors, styles and headers. */
const CODE = /^(?:tenure |curl |--?\w|[/#.?([<])|:\/\/|[={}<>]|--reason|\dpx|^[\w-]+\/[\w-]+/u;
const LETTER = /\p{L}/u;
/** Two words, or one word with a capital at its beginning. */
const WORDED = /\s|^\p{Lu}\p{Ll}+[.…?!:,]?$/u;
const FORMATS =
  /\bIntl\.|\.toLocale\w*\(|\.to(?:Fixed|Precision)\(|\.to(?:Date|Time|UTC)String\(|\.localeCompare\(\w+, *['"]|=== 1 \? ['"`]|\? '' : 's'/u;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

/** `shown`: every word is a text. `hidden`: none is. `other`: only what looks like words for people. */
type Place = 'shown' | 'hidden' | 'other';

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

const IGNORED =
  /^(?:Import|ExportAll|TSLiteralType|TSTypeAnnotation|TSInterface|TSTypeAlias|TSTypeParameter)/u;
/** Nodes whose value is one of their members, so that the place of the node is the place of the member. */
const PASSES =
  /^(?:JSXExpressionContainer|ConditionalExpression|LogicalExpression|ParenthesizedExpression|TSAs|TSSatisfies|TemplateLiteral)/u;

const isText = (text: string, place: Place): boolean =>
  place !== 'hidden' &&
  LETTER.test(text) &&
  !CODE.test(text.trim()) &&
  (place === 'shown' || WORDED.test(text));

function attributePlace({ name }: Node): Place {
  const words = String((name as Node)['name']);
  if (NOT_SHOWN.test(words) || FIXED.test(words)) return 'hidden';
  return SHOWN.test(words) ? 'shown' : 'other';
}

/** Returns the place of a member: what a condition compares, and what names a member, is not shown. */
function placeOf(node: Node, member: string, place: Place): Place {
  const { type } = node;
  if (type === 'JSXAttribute') return attributePlace(node);
  if (/^JSX(?:Element|Fragment)$/u.test(type)) return member === 'children' ? 'shown' : 'other';
  if (type === 'SwitchCase' && member === 'test') return 'hidden';
  if (/^(?:Binary|Member)Expression$/u.test(type) && node['operator'] !== '+') return 'hidden';
  if (type === 'Property') {
    return member === 'value' && (node['key'] as Node)['name'] !== 'key' ? 'other' : 'hidden';
  }
  if (member === 'test' || (member === 'left' && node['operator'] !== '??')) return 'other';
  return PASSES.test(type) ? place : 'other';
}

/** Returns the texts for people in a source. */
export function textsIn(file: string, source: string): string[] {
  const found: string[] = [];
  const visit = (node: Node, place: Place): void => {
    const { type } = node;
    if (IGNORED.test(type) || type === 'TaggedTemplateExpression') return;
    if (type === 'ExportNamedDeclaration' && isNode(node['source'])) return;
    if (type === 'JSXText' && LETTER.test(String(node['value']))) {
      found.push(String(node['value']).trim().replaceAll(/\s+/gu, ' '));
    }
    if (type === 'Literal' && typeof node['value'] === 'string' && isText(node['value'], place)) {
      found.push(node['value']);
    }
    let inner = place;
    if (type === 'TemplateLiteral') {
      const quasis = node['quasis'] as readonly { readonly value: { readonly cooked: string } }[];
      const text = quasis.map(({ value }) => value.cooked).join('…');
      if (isText(text, place)) found.push(text);
      if (CODE.test(text.trim())) inner = 'hidden';
    }
    for (const [member, value] of Object.entries(node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (isNode(child)) visit(child, placeOf(node, member, inner));
      }
    }
  };
  visit(parseSync(file, source).program as unknown as Node, 'other');
  return found;
}

/** Returns the lines that format numbers, dates or plurals. */
export const formatsIn = (source: string): string[] =>
  source.split('\n').filter((line) => FORMATS.test(line) && !/^\s*(?:\*|\/[/*])/u.test(line));
