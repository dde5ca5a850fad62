import type { components } from '../../api/schema.ts';
import { Time, useNowMs } from '../../parts/time.tsx';
import { operationName } from '../../parts/words.ts';
import type { BulkForm } from './bulk-form.tsx';
import { BULK_WORDS, DECISION_WORDS } from './desk-words.ts';
import styles from './desk.module.css';
import { StateBadge } from './operation-table.tsx';

type Preview = components['schemas']['BulkPreview'];

interface Sampled {
  readonly id: string;
  readonly commandId: string;
  readonly operation: string;
  readonly state: string;
  readonly acceptedAt: string;
}

/** Shows how many operations the act would cover, the first of them, and those that it cannot cover. */
export function BulkPreview({
  form,
  preview: { count, refused, sample, expiresAt },
}: {
  readonly form: BulkForm;
  readonly preview: Preview;
}) {
  const isOver = Date.parse(expiresAt) < useNowMs();
  const first = sample as unknown as readonly Sampled[];
  return (
    <div className={styles.preview} role="status">
      <p className={styles.previewCount}>
        <strong>{count}</strong>
        <span>
          {count === 1 ? 'operation' : 'operations'} to {BULK_WORDS[form.action]?.toLowerCase()}
          {form.action === 'decide' ? ` as “${DECISION_WORDS[form.decision]?.[0] ?? ''}”` : ''}.
          Nothing has been done yet.
        </span>
      </p>
      {refused.length === 0 ? null : (
        <div>
          <h3>Left out</h3>
          <ul className={styles.reasons}>
            {refused.map((one) => (
              <li key={one.reason}>
                <strong>{one.count}</strong> {one.reason}
              </li>
            ))}
          </ul>
        </div>
      )}
      {first.length === 0 ? null : (
        <div>
          <h3>The first of them</h3>
          <ul className={styles.sample}>
            {first.slice(0, 5).map(({ id, operation, commandId, state, acceptedAt }) => (
              <li key={id}>
                <StateBadge state={state} />
                <span>{operationName(operation)}</span>
                <span className={styles.small} title={commandId}>
                  {commandId}
                </span>
                <Time at={acceptedAt} />
              </li>
            ))}
          </ul>
        </div>
      )}
      <p className={styles.small}>
        {isOver ? (
          'This preview is too old by now: go back and look again.'
        ) : (
          <>
            Good until <Time at={expiresAt} as="short" />. It is refused if the number has changed
            by then.
          </>
        )}
      </p>
    </div>
  );
}
