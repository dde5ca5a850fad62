import { useEffect, useId } from 'react';
import type { ReactNode } from 'react';
import * as t from '../texts/parts.tsx';
import { classes } from './classes.ts';
import { CopyButton } from './copy.tsx';
import styles from './page.module.css';

interface PageProps {
  readonly title: string;
  /** A state that is shown next to the title. */
  readonly badge?: ReactNode;
  /** A link to the list that contains this page's object. */
  readonly crumb?: ReactNode;
  /** A sentence about the purpose of the page. */
  readonly lead?: ReactNode;
  readonly acts?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of a page. The page's title is also the window's title. */
export function Page({ title, badge, crumb, lead, acts, children }: PageProps) {
  useEffect(() => {
    document.title = t.tenure(title);
  }, [title]);
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <div className={styles.titles}>
          {crumb === undefined ? null : <p className={styles.crumb}>{crumb}</p>}
          <div className={styles.title}>
            <h1 tabIndex={-1}>{title}</h1>
            {badge}
          </div>
          {lead === undefined ? null : <p className={styles.lead}>{lead}</p>}
        </div>
        {acts === undefined ? null : <div className={styles.acts}>{acts}</div>}
      </header>
      {children}
    </div>
  );
}

interface SectionProps {
  readonly title: string;
  readonly more?: ReactNode;
  readonly isCard?: boolean;
  readonly children: ReactNode;
}

export function Section({ title, more, isCard = false, children }: SectionProps) {
  const id = useId();
  return (
    <section className={classes(styles.section, isCard && styles.card)} aria-labelledby={id}>
      <div className={styles.sectionHead}>
        <h2 id={id}>{title}</h2>
        {more}
      </div>
      {children}
    </section>
  );
}

/** Two columns; on small screens one is below the other. */
export function Columns({ children }: { readonly children: ReactNode }) {
  return <div className={styles.columns}>{children}</div>;
}

/** A list of facts with names and values. Facts that are null or undefined are left out. */
export function Facts({
  of,
}: {
  readonly of: readonly (readonly [name: string, value: ReactNode])[];
}) {
  return (
    <dl className={styles.facts}>
      {of
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Technical content of a page, closed until a person opens it. */
export function Disclosure({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <details className={styles.more}>
      <summary>{title}</summary>
      <div className={styles.folded}>{children}</div>
    </details>
  );
}

/** The answer of the API as JSON, for people who want to see it. */
export function RawJson({
  title = 'JSON',
  value,
}: {
  readonly title?: string;
  readonly value: unknown;
}) {
  const text = JSON.stringify(value, null, 2);
  return (
    <details className={styles.more}>
      <summary>{title}</summary>
      <CopyButton text={text} what={t.json} />
      {/* A region that scrolls must be reachable by keyboard. */}
      <pre className={styles.json} tabIndex={0}>
        {text}
      </pre>
    </details>
  );
}
