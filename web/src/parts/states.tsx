import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ProblemError, busyWords } from '../api/problem.ts';
import type { Problem } from '../api/problem.ts';
import { PATHS } from '../paths.ts';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import styles from './state.module.css';
import { sentence } from './words.ts';

/** A placeholder while data is being read. */
export function Loading({ lines = 6 }: { readonly lines?: number }) {
  return (
    <div className={styles.lines} role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_none, at) => (
        <div key={at} className={styles.line} />
      ))}
    </div>
  );
}

/** Shown in place of an empty list or page: says why it is empty, and what to do first. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ReactNode;
}) {
  return (
    <div className={styles.state}>
      <strong>{title}</strong>
      {children}
    </div>
  );
}

/** Shows the text of a problem document, and a link to its explanation. */
export function ProblemText({ problem }: { readonly problem: Problem }) {
  return (
    <div className={classes(styles.state, styles.fault)} role="alert">
      <strong>{problem.title}</strong>
      <p>{sentence(problem.detail)}</p>
      <dl>
        <dt>Code</dt>
        <dd>
          <Link to={PATHS.errors} hash={problem.code}>
            {problem.code}
          </Link>
        </dd>
        {problem.ledgerCode === undefined ? null : (
          <>
            <dt>Ledger</dt>
            <dd>{problem.ledgerCode}</dd>
          </>
        )}
        {problem.traceId === undefined ? null : (
          <>
            <dt>Trace</dt>
            <dd>
              <code>{problem.traceId}</code>
            </dd>
          </>
        )}
      </dl>
    </div>
  );
}

/** Shown if a read failed: says what happened, with a button to try again. */
export function Fault({
  error,
  onRetry,
  isOld = false,
}: {
  readonly error: Error;
  readonly onRetry?: (() => void) | undefined;
  /** Whether an earlier answer is shown below. */
  readonly isOld?: boolean;
}) {
  if (error instanceof ProblemError && error.problem !== null) {
    return (
      <div className={styles.lines}>
        <ProblemText problem={error.problem} />
        {onRetry === undefined ? null : (
          <div>
            <Button icon="repeat" onClick={onRetry}>
              Try again
            </Button>
          </div>
        )}
      </div>
    );
  }
  return (
    <div className={classes(styles.state, styles.fault)} role="alert">
      <strong>The server does not answer</strong>
      <p>
        {error instanceof ProblemError
          ? error.message
          : 'There is no connection. Everything that you have sent is kept, and continues when the server is back.'}
        {isOld ? ' The page shows earlier data.' : ''}
      </p>
      {onRetry === undefined ? null : (
        <Button icon="repeat" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** Says for how long the server accepts no further reads. */
export function Busy({ retryAfterS }: { readonly retryAfterS: number | null }) {
  return (
    <div className={styles.state} role="status">
      <strong>Too many requests in a minute</strong>
      <p>{busyWords(retryAfterS)} The page is read again automatically then.</p>
    </div>
  );
}

interface ShownProps<T> {
  readonly of: UseQueryResult<T, ProblemError>;
  readonly lines?: number;
  readonly children: (data: T) => ReactNode;
}

/** Shows an answer once it has arrived, a placeholder before that, and the problem if the read failed. */
export function Shown<T>({ of, lines, children }: ShownProps<T>) {
  if (of.data !== undefined) {
    // An ended session is reported once for the whole page.
    const isTold = of.error === null || of.error.status === 401;
    return (
      <>
        {isTold ? null : <Fault error={of.error} onRetry={() => void of.refetch()} isOld />}
        {children(of.data)}
      </>
    );
  }
  if (of.error !== null) return <Fault error={of.error} onRetry={() => void of.refetch()} />;
  // The read is repeated automatically, but that may take a minute.
  if (of.failureReason?.status === 429) return <Busy retryAfterS={of.failureReason.retryAfterS} />;
  return <Loading {...(lines === undefined ? {} : { lines })} />;
}
