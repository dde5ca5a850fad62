import type { Block, Row } from './markdown.ts';
import { blocksOf } from './markdown.ts';

/** One error code: what it means and what to do about it. In Markdown. */
export interface ErrorCode {
  readonly code: string;
  readonly status: string;
  readonly means: string;
  readonly advice: string;
}

/** The page of errors: its codes in the order of the document, and what it says around them. */
export interface Catalogue {
  readonly codes: readonly ErrorCode[];
  readonly about: readonly Block[];
}

const isCodes = (block: Block): boolean => block.kind === 'table' && block.head[0] === 'Code';

const asCode = ([code = '', status = '', means = '', advice = '']: Row): ErrorCode => ({
  code: code.replaceAll('`', ''),
  status,
  means,
  advice,
});

/** @param text docs/ERRORS.md */
export function catalogueOf(text: string): Catalogue {
  const blocks = blocksOf(text);
  const at = blocks.findIndex(isCodes);
  const table = blocks[at];
  return {
    codes: table?.kind === 'table' ? table.rows.map(asCode) : [],
    // Its own title and the heading of the codes are the page's.
    about: [...blocks.slice(1, at - 1), ...blocks.slice(at + 1)],
  };
}

/** The codes in which all words are found, wherever. */
export function codesWith(codes: readonly ErrorCode[], words: string): readonly ErrorCode[] {
  const wanted = words.toLowerCase().split(/\s+/u).filter(Boolean);
  return codes.filter(({ code, status, means, advice }) => {
    const all = `${code} ${code.replaceAll('_', ' ')} ${status} ${means} ${advice}`.toLowerCase();
    return wanted.every((word) => all.includes(word));
  });
}
