/** Positions in a JSON text at which a parser expects something, each with a participant's error message. */
const EXPECTED = {
  value: 'expected json value',
  firstItem: 'expected json value',
  key: 'expected "',
  firstKey: 'expected "',
  colon: 'expected :',
  afterItem: 'expected ] or ,',
  afterMember: 'expected } or ,',
  end: 'expected whitespace or eof',
} as const;

type Place = keyof typeof EXPECTED;

const CONSTANTS = { t: 'true', f: 'false', n: 'null' } as const;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\]|\\[\s\S])*"/y;
const WHITESPACE = /[ \t\r\n]*/y;
const SHOWN_CHARS = 6;

function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

const CUT_OFF = 'exhausted input';

function failure(text: string, at: number, expected: string): string {
  if (at >= text.length) return CUT_OFF;
  const lines = text.slice(0, at).split('\n');
  const shown = text.slice(at, at + SHOWN_CHARS);
  const got = at + SHOWN_CHARS < text.length ? `'${shown}...'` : `'${shown}'`;
  const column = (lines.at(-1)?.length ?? 0) + 1;
  return `${expected} got ${got} (line ${lines.length}, column ${column})`;
}

/** Reads a text up to its first JSON error. Returns the error message that a participant's parser gives for it. */
export function parseFailure(text: string): string {
  /** For each open array or object, the position that follows its end. */
  const open: ('afterItem' | 'afterMember')[] = [];
  let place: Place = 'value';
  let at = matchAt(WHITESPACE, text, 0);
  while (at < text.length) {
    const char = text[at] ?? '';
    const isEmpty =
      (place === 'firstItem' && char === ']') || (place === 'firstKey' && char === '}');
    const isClosed =
      (place === 'afterItem' && char === ']') || (place === 'afterMember' && char === '}');
    let length = 1;
    if (isEmpty || isClosed) {
      open.pop();
      place = open.at(-1) ?? 'end';
    } else if (place === 'afterItem' && char === ',') place = 'value';
    else if (place === 'afterMember' && char === ',') place = 'key';
    else if (place === 'colon' && char === ':') place = 'value';
    else if ((place === 'key' || place === 'firstKey') && char === '"') {
      length = matchAt(STRING, text, at);
      if (length === 0) return CUT_OFF;
      place = 'colon';
    } else if (place !== 'value' && place !== 'firstItem')
      return failure(text, at, EXPECTED[place]);
    else if (char === '[' || char === '{') {
      open.push(char === '[' ? 'afterItem' : 'afterMember');
      place = char === '[' ? 'firstItem' : 'firstKey';
    } else {
      const constant = CONSTANTS[char as keyof typeof CONSTANTS];
      length = matchAt(char === '"' ? STRING : NUMBER, text, at);
      if (constant !== undefined) {
        if (!text.startsWith(constant, at)) return failure(text, at, `expected ${constant}`);
        length = constant.length;
      } else if (length === 0) {
        if (char === '"') return CUT_OFF;
        return failure(text, at, char === '-' ? 'expected digit' : EXPECTED.value);
      }
      place = open.at(-1) ?? 'end';
    }
    at += length;
    at += matchAt(WHITESPACE, text, at);
  }
  // All errors within a string have this message.
  return CUT_OFF;
}
