import { webAddress } from '../../parts/web-address.ts';
import { WebLink } from '../../parts/web-link.tsx';
import styles from './errors.module.css';
import type { Block, Inline } from './markdown.ts';
import { inlineOf } from './markdown.ts';

function Part({ part }: { readonly part: Inline }) {
  if (part.kind === 'code') return <code>{part.text}</code>;
  if (part.kind === 'strong') return <strong>{part.text}</strong>;
  if (part.kind === 'link') {
    // Links to other documents of the project become plain text, because those documents are not served here.
    return webAddress(part.href) === null ? (
      part.text
    ) : (
      <WebLink href={part.href}>{part.text}</WebLink>
    );
  }
  return part.text;
}

/** Renders a line of Markdown as text, code and links. */
export function Line({ text }: { readonly text: string }) {
  return inlineOf(text).map((part, at) => <Part key={at} part={part} />);
}

function TableBlock({ block }: { readonly block: Extract<Block, { kind: 'table' }> }) {
  return (
    <dl className={styles.members}>
      {block.rows.map(([name = '', text = '']) => (
        <div key={name}>
          <dt>
            <Line text={name} />
          </dt>
          <dd>
            <Line text={text} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Renders a block of Markdown, except headings, which the page renders itself. */
export function ProseBlock({ block }: { readonly block: Block }) {
  switch (block.kind) {
    case 'heading':
      return <h2>{block.text}</h2>;
    case 'code':
      return (
        <pre className={styles.code} tabIndex={0}>
          {block.text}
        </pre>
      );
    case 'list':
      return (
        <ul className={styles.list}>
          {block.items.map((item) => (
            <li key={item}>
              <Line text={item} />
            </li>
          ))}
        </ul>
      );
    case 'table':
      return <TableBlock block={block} />;
    case 'paragraph':
      return (
        <p>
          <Line text={block.text} />
        </p>
      );
    default:
      return block satisfies never;
  }
}
