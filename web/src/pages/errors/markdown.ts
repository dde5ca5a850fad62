/* Parses the part of Markdown that the project's own documents use: headings, paragraphs, lists, tables, code. */

export type Inline =
  | { readonly kind: 'text' | 'code' | 'strong'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly href: string };

export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly Row[] };

export type Row = readonly string[];

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)/gu;

/** Splits a line into text, code, bold text and links. */
export function inlineOf(text: string): readonly Inline[] {
  const found: Inline[] = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, strong, label, href] = match;
    if (match.index > from) found.push({ kind: 'text', text: text.slice(from, match.index) });
    if (code !== undefined) found.push({ kind: 'code', text: code });
    else if (strong !== undefined) found.push({ kind: 'strong', text: strong });
    else found.push({ kind: 'link', text: label ?? '', href: href ?? '' });
    from = match.index + whole.length;
  }
  if (from < text.length) found.push({ kind: 'text', text: text.slice(from) });
  return found;
}

const cellsOf = (line: string): Row =>
  line
    .replace(/^\|/u, '')
    .replace(/\|\s*$/u, '')
    .split(/(?<!\\)\|/u)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));

/** Returns the lines from index `from` up to the first line for which `isMore` is false, without that line. */
function take(lines: readonly string[], from: number, isMore: (line: string) => boolean): string[] {
  const until = lines.findIndex((line, at) => at >= from && !isMore(line));
  return lines.slice(from, until === -1 ? undefined : until);
}

const isTable = (line: string): boolean => line.startsWith('|');
const isItem = (line: string): boolean => /^(?:- | {2}\S)/u.test(line);
const isPlain = (line: string): boolean => line !== '' && !/^(?:#|```|\||- )/u.test(line);

const itemsOf = (lines: readonly string[]): readonly string[] =>
  lines
    .join('\n')
    .split(/^- /mu)
    .slice(1)
    .map((item) => item.replaceAll(/\s+/gu, ' ').trim());

function blockAt(lines: readonly string[], at: number): readonly [Block | null, used: number] {
  const line = lines[at] ?? '';
  const [, marks, title] = /^(#+) (.*)$/u.exec(line) ?? [];
  if (marks !== undefined) return [{ kind: 'heading', level: marks.length, text: title ?? '' }, 1];
  if (line.startsWith('```')) {
    const code = take(lines, at + 1, (one) => !one.startsWith('```'));
    return [{ kind: 'code', text: code.join('\n') }, code.length + 2];
  }
  if (isTable(line)) {
    const table = take(lines, at, isTable);
    const [head = [], _rule, ...rows] = table.map(cellsOf);
    return [{ kind: 'table', head, rows }, table.length];
  }
  if (line.startsWith('- ')) {
    const list = take(lines, at, isItem);
    return [{ kind: 'list', items: itemsOf(list) }, list.length];
  }
  const text = take(lines, at, isPlain);
  if (text.length === 0) return [null, 1];
  return [{ kind: 'paragraph', text: text.join(' ') }, text.length];
}

/** Returns the blocks of a document, in order. */
export function blocksOf(markdown: string): readonly Block[] {
  const lines = markdown.split(/\r?\n/u);
  const found: Block[] = [];
  for (let at = 0; at < lines.length;) {
    const [block, used] = blockAt(lines, at);
    if (block !== null) found.push(block);
    at += used;
  }
  return found;
}
