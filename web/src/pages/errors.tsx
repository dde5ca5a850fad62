import { Link, useNavigate, useRouterState, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { TextField } from '../parts/field.tsx';
import { Page } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';
import { PATHS } from '../paths.ts';
import text from '../../../docs/ERRORS.md?raw';
import { catalogueOf, codesWith } from './errors/catalogue.ts';
import type { ErrorCode } from './errors/catalogue.ts';
import styles from './errors/errors.module.css';
import { Line, ProseBlock } from './errors/prose.tsx';

const CATALOGUE = catalogueOf(text);

interface EntryProps {
  readonly of: ErrorCode;
  /** Whether the page's address names this code. */
  readonly isChosen: boolean;
}

function Entry({ of: { code, status, means, advice }, isChosen }: EntryProps) {
  return (
    <article id={code} className={styles.entry} data-chosen={isChosen}>
      <div>
        <h2>
          <Link to={PATHS.errors} hash={code} search={(now) => now}>
            {code}
          </Link>
        </h2>
        <p className={styles.status}>HTTP {status}</p>
      </div>
      <div className={styles.text}>
        <p>
          <Line text={means} />
        </p>
        <p className={styles.advice}>
          <Line text={advice} />
        </p>
      </div>
    </article>
  );
}

/** The page of all error codes: what each means and what to do. */
export function ErrorsPage() {
  const { q = '' } = useSearch({ from: PATHS.errors });
  const navigate = useNavigate({ from: PATHS.errors });
  const hash = useRouterState({ select: ({ location }) => location.hash });
  useEffect(() => {
    // Scrolls here, because the browser looks for the element that the address names before this page is loaded.
    document.getElementById(hash)?.scrollIntoView();
  }, [hash]);
  const found = codesWith(CATALOGUE.codes, q);
  return (
    <Page
      title="Errors"
      lead="What each error code means, and what to do about it. Errors in these pages lead here."
    >
      <search className={styles.search}>
        <TextField
          label="Search"
          type="search"
          value={q}
          placeholder="A code, a status or a word"
          hint={`${found.length} of ${CATALOGUE.codes.length} codes`}
          onChange={(value) =>
            void navigate({ search: value === '' ? {} : { q: value }, replace: true })
          }
        />
      </search>
      <details className={styles.more}>
        <summary>Format of all error answers</summary>
        <div className={styles.about}>
          {CATALOGUE.about.map((block, at) => (
            <ProseBlock key={at} block={block} />
          ))}
        </div>
      </details>
      {found.length === 0 ? (
        <Empty title="No code matches.">
          <p>Search for fewer words, or for a status such as 409.</p>
        </Empty>
      ) : (
        <div className={styles.codes}>
          {found.map((one) => (
            <Entry key={one.code} of={one} isChosen={one.code === hash} />
          ))}
        </div>
      )}
    </Page>
  );
}
