import type { Block, Row } from './markdown.ts';
import { blocksOf } from './markdown.ts';

/** One error code, its meaning and advice, in Markdown. */
export interface ErrorCode {
  readonly code: string;
  readonly status: string;
  readonly means: string;
  readonly advice: string;
}

/** The content of the errors page: the codes in the order of the document, and the text around them. */
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

/** Returns the content of the errors page. @param text the content of docs/ERRORS.md */
export function catalogueOf(text: string): Catalogue {
  const blocks = blocksOf(text);
  const at = blocks.findIndex(isCodes);
  const table = blocks[at];
  return {
    codes: table?.kind === 'table' ? table.rows.map(asCode) : [],
    // The document's title and the heading above its table are left out, because the page has its own.
    about: [...blocks.slice(1, at - 1), ...blocks.slice(at + 1)],
  };
}

/** Returns the codes that contain all words, in any member. */
export function codesWith(codes: readonly ErrorCode[], words: string): readonly ErrorCode[] {
  const wanted = words.toLowerCase().split(/\s+/u).filter(Boolean);
  return codes.filter(({ code, status, means, advice }) => {
    const all = `${code} ${code.replaceAll('_', ' ')} ${status} ${means} ${advice}`.toLowerCase();
    return wanted.every((word) => all.includes(word));
  });
}
