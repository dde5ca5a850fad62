import type { components } from '../../../../client/schema.ts';
import { Badge } from '../../parts/badge.tsx';
import { ACT_STATES, BULK_WORDS, DECISION_WORDS } from './desk-words.ts';
import styles from './acts.module.css';

export type BulkAct = components['schemas']['BulkAct'];

export const actTitle = ({ action, decision, count }: BulkAct): string => {
  const how = decision === undefined ? '' : ` “${DECISION_WORDS[decision]?.[0] ?? decision}”`;
  return `${BULK_WORDS[action] ?? action}${how}: ${count} ${count === 1 ? 'operation' : 'operations'}`;
};

export function ActBadge({ state }: Pick<BulkAct, 'state'>) {
  const [tone, words] = ACT_STATES[state] ?? ['plain', state];
  return <Badge tone={tone}>{words}</Badge>;
}

/** Shows the progress of an act: operations done, refused and left. */
export function Progress({ of: { count, done, refused, left, state } }: { readonly of: BulkAct }) {
  const share = (part: number): string => `${count === 0 ? 0 : (part / count) * 100}%`;
  const notDone = state === 'running' ? `${left} to do` : `${left} not done`;
  return (
    <div className={styles.progress}>
      <div
        className={styles.bar}
        role="progressbar"
        aria-label="Processed"
        aria-valuemin={0}
        aria-valuemax={count}
        aria-valuenow={done + refused}
        aria-valuetext={`${done} done, ${refused} refused, ${notDone}`}
      >
        <i data-part="done" style={{ width: share(done) }} />
        <i data-part="refused" style={{ width: share(refused) }} />
      </div>
      <p>
        <span data-part="done">{done} done</span>
        <span data-part="refused">{refused} refused</span>
        {left === 0 ? null : <span data-part="left">{notDone}</span>}
      </p>
    </div>
  );
}
