import { Link } from '@tanstack/react-router';
import type { components } from '../../../../client/schema.ts';
import { Badge } from '../../parts/badge.tsx';
import { Party } from '../../parts/copy.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { operationName, operationState, sentence, spanWords } from '../../parts/words.ts';
import { PATHS } from '../../paths.ts';
import * as t from '../../texts/desk.tsx';
import { waitWords } from './desk-words.ts';
import styles from './desk.module.css';

export type OperationSummary = components['schemas']['OperationSummary'];

export function StateBadge({ state }: { readonly state: string }) {
  const [tone, words] = operationState(state);
  return (
    <Badge tone={tone} {...(state === 'in-doubt' ? { icon: 'doubt' as const } : {})}>
      {words}
    </Badge>
  );
}

/** Says what an open operation waits for and since when, or how a finished one ended. */
export function Why({ of }: { readonly of: OperationSummary }) {
  const { waitingFor, code, message, acceptedAt, finishedAt, ledgerCode } = of;
  if (waitingFor !== undefined) {
    const since = waitingFor['since'];
    return (
      <div className={styles.why}>
        <p>
          {t.waitsFor(<strong>{waitWords(waitingFor.kind)}</strong>)}
          {typeof since === 'string' ? t.since(<Time at={since} />) : null}
        </p>
        <p className={styles.small} title={waitingFor.detail}>
          {ledgerCode === undefined ? null : <code>{ledgerCode}</code>}{' '}
          {sentence(waitingFor.detail)}
        </p>
      </div>
    );
  }
  if (code !== undefined) {
    return (
      <div className={styles.why}>
        <p>
          <code>{code}</code>
          {ledgerCode === undefined ? null : <code className={styles.small}> {ledgerCode}</code>}
        </p>
        <p className={styles.small} title={message}>
          {sentence(message ?? '')}
        </p>
      </div>
    );
  }
  return finishedAt === undefined ? null : (
    <span className={styles.small}>
      {t.took(spanWords(Math.max(0, Date.parse(finishedAt) - Date.parse(acceptedAt))))}
    </span>
  );
}

/** The name of an operation as a link to its page, with the command ID. */
export function OperationLink({
  of: { id, operation, commandId },
}: {
  readonly of: Pick<OperationSummary, 'id' | 'operation' | 'commandId'>;
}) {
  return (
    <div className={styles.named}>
      <Link to={PATHS.opsOperation} params={{ id }}>
        {operationName(operation)}
      </Link>
      <span className={styles.small} title={commandId}>
        {commandId}
      </span>
    </div>
  );
}

export const OPERATION_COLUMNS: readonly Column<OperationSummary>[] = [
  { name: t.operation, cell: (one) => <OperationLink of={one} /> },
  { name: t.state, card: 'state', cell: ({ state }) => <StateBadge state={state} /> },
  {
    name: t.user,
    cell: ({ user }) => (
      <span className={styles.party}>
        <Party party={user} />
      </span>
    ),
  },
  { name: t.waitOrResult, cell: (one) => <Why of={one} />, as: 'grow' },
  { name: t.attempts, cell: ({ submissions }) => submissions, as: 'end' },
  { name: t.accepted, cell: ({ acceptedAt }) => <Time at={acceptedAt} /> },
];
