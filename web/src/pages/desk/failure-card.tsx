import { Link } from '@tanstack/react-router';
import type { components } from '../../../../client/schema.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';

import { Time } from '../../parts/time.tsx';
import { countWords, operationName, operationState } from '../../parts/words.ts';
import { Person } from '../../parts/person.tsx';
import { PATHS } from '../../paths.ts';
import { CLASSES, FAILURE_STATES } from './desk-words.ts';
import styles from './failures.module.css';

export type Failure = components['schemas']['Failure'];
export type FailureAct = 'retry' | 'resolve' | 'ignore' | 'reopen';

const CLASS_WORDS: ReadonlyMap<string, string> = new Map(CLASSES);

function Decision({ of }: { readonly of: NonNullable<Failure['decision']> }) {
  return (
    <p className={styles.small}>
      {of.reopenedAt === undefined ? (
        FAILURE_STATES[of.state]?.[1]
      ) : (
        <>
          Happened again after it was resolved <Time at={of.reopenedAt} />
        </>
      )}
      {' by '}
      <Person subject={of.bySubject} />, <Time at={of.at} />: “{of.reason}”
    </p>
  );
}

interface FailureCardProps {
  readonly failure: Failure;
  readonly onAct: (act: FailureAct) => void;
}

function Acts({ failure: { state, more, count }, onAct }: FailureCardProps) {
  return (
    <div className={styles.acts}>
      <Button icon="repeat" isSmall onClick={() => onAct('retry')}>
        {count === 1 && !more ? 'Retry it' : `Retry all ${countWords(count, more)}`}
      </Button>
      {state === 'open' ? (
        <>
          <Button isSmall onClick={() => onAct('resolve')}>
            Resolve
          </Button>
          <Button isSmall onClick={() => onAct('ignore')}>
            Ignore
          </Button>
        </>
      ) : (
        <Button isSmall onClick={() => onAct('reopen')}>
          Reopen
        </Button>
      )}
    </div>
  );
}

/**
 * One group of identical failures: how many there are, when they happened, the cause, and buttons that act on the whole
 * group.
 */
export function FailureCard({ failure, onAct }: FailureCardProps) {
  const { fingerprint, state, operation, outcome, code, ledgerCode, explanation } = failure;
  const [tone, words] = FAILURE_STATES[state] ?? ['plain', state];
  return (
    <article className={styles.group}>
      <p className={styles.number}>
        <strong>{countWords(failure.count, failure.more)}</strong>
        <span>{operationState(outcome)[1].toLowerCase()}</span>
      </p>
      <div className={styles.body}>
        <h2 className={styles.title}>
          <Link to={PATHS.operations} search={{ failure: fingerprint }}>
            {operationName(operation)}
          </Link>
          {state === 'open' ? null : <Badge tone={tone}>{words}</Badge>}
        </h2>
        <p className={styles.said}>
          {explanation || 'Each of these has its own reason, written by a person.'}
        </p>
        <p className={styles.codes}>
          <Link to={PATHS.errors} hash={code}>
            <code>{code}</code>
          </Link>
          {ledgerCode === undefined ? null : <code>{ledgerCode}</code>}
          {failure.class === undefined ? null : <span>{CLASS_WORDS.get(failure.class)}</span>}
        </p>
        <p className={styles.small}>
          Last <Time at={failure.lastAt} />, first <Time at={failure.firstAt} />. The last one:{' '}
          <Link to={PATHS.opsOperation} params={{ id: failure.example.id }}>
            {failure.example.commandId}
          </Link>
        </p>
        {failure.decision === undefined ? null : <Decision of={failure.decision} />}
      </div>
      <Acts failure={failure} onAct={onAct} />
    </article>
  );
}
