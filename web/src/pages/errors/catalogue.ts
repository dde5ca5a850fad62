import text from '../../../../docs/ERRORS.md?raw';
import type { Block, Row } from './markdown.ts';
import { blocksOf } from './markdown.ts';

/** One error code: what it means and what to do about it. In Markdown. */
export interface ErrorCode {
  readonly code: string;
  readonly status: string;
  readonly means: string;
  readonly advice: string;
}

const blocks = blocksOf(text);
const isCodes = (block: Block): boolean => block.kind === 'table' && block.head[0] === 'Code';
const at = blocks.findIndex(isCodes);
const table = blocks[at];

const asCode = ([code = '', status = '', means = '', advice = '']: Row): ErrorCode => ({
  code: code.replaceAll('`', ''),
  status,
  means,
  advice,
});

/** All codes, in the order of the document. */
export const ERROR_CODES: readonly ErrorCode[] =
  table?.kind === 'table' ? table.rows.map(asCode) : [];

/** What the document says around them; its own title and the heading of the codes are left out. */
export const ABOUT: readonly Block[] = blocks.slice(1, at - 1);
export const AFTER: readonly Block[] = blocks.slice(at + 1);

/** The codes in which all words are found, wherever. */
export function codesWith(words: string): readonly ErrorCode[] {
  const wanted = words.toLowerCase().split(/\s+/u).filter(Boolean);
  return ERROR_CODES.filter(({ code, status, means, advice }) => {
    const all = `${code} ${code.replaceAll('_', ' ')} ${status} ${means} ${advice}`.toLowerCase();
    return wanted.every((word) => all.includes(word));
  });
}
