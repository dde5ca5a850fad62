import { Link } from '@tanstack/react-router';
import { useRead } from '../../api/use-read.ts';
import { Section } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { KIND_WORDS, operationName } from '../../parts/words.ts';
import { PATHS } from '../../paths.ts';
import styles from './desk.module.css';
import { lifecyclePath } from './lifecycle-link.ts';
import { StateBadge } from './operation-table.tsx';
import type { OpsOperation } from './ops-operation.tsx';

const SIBLINGS = 6;

interface RelatedProps {
  readonly id: string;
  readonly state: string;
  readonly name: string;
  readonly at?: string;
}

function Related({ id, state, name, at }: RelatedProps) {
  return (
    <li className={styles.related}>
      <StateBadge state={state} />
      <Link to={PATHS.opsOperation} params={{ id }}>
        {name}
      </Link>
      {at === undefined ? null : <Time at={at} />}
    </li>
  );
}

/** Other operations of the same lifecycle. They share its lane, in which they run one after another. */
function Siblings({ id, lifecycleId }: { readonly id: string; readonly lifecycleId: string }) {
  const found = useRead(
    '/ops/operations',
    { query: { lifecycleId, limit: SIBLINGS + 1 } },
    { topics: ['desk'] },
  );
  const others = (found.data?.data ?? []).filter((one) => one.id !== id).slice(0, SIBLINGS);
  const [kind, path] = lifecyclePath(lifecycleId);
  return (
    <div className={styles.lines}>
      <h3>Same lifecycle</h3>
      <p>
        {path === null ? (
          lifecycleId
        ) : (
          <Link to={path} params={{ contractId: lifecycleId }}>
            {KIND_WORDS[kind]}
          </Link>
        )}
        {' · '}
        <Link to={PATHS.operations} search={{ lifecycleId }}>
          all operations
        </Link>
      </p>
      <ul className={styles.lines}>
        {others.map((one) => (
          <Related
            key={one.id}
            id={one.id}
            state={one.state}
            name={operationName(one.operation)}
            at={one.acceptedAt}
          />
        ))}
      </ul>
    </div>
  );
}

/** Other operations that are related to this one. */
export function OpRelated({ of }: { readonly of: OpsOperation }) {
  const { id, lifecycleId, retryOf, retriedAs = [], failure } = of;
  return (
    <Section title="Related" isCard>
      {retryOf === undefined ? null : (
        <div>
          <h3>A retry of</h3>
          <ul className={styles.lines}>
            <Related id={retryOf.id} state={retryOf.state} name={retryOf.commandId} />
          </ul>
        </div>
      )}
      {retriedAs.length === 0 ? null : (
        <div>
          <h3>Retried as</h3>
          <ul className={styles.lines}>
            {retriedAs.map((one) => (
              <Related key={one.id} id={one.id} state={one.state} name={one.commandId} />
            ))}
          </ul>
        </div>
      )}
      {failure === undefined ? null : (
        <div>
          <h3>Same failure</h3>
          <p>
            <Link to={PATHS.operations} search={{ failure }}>
              operations with the same failure
            </Link>
          </p>
        </div>
      )}
      {lifecycleId === null ? (
        <p className={styles.small}>The operation belongs to no lifecycle yet.</p>
      ) : (
        <Siblings id={id} lifecycleId={lifecycleId} />
      )}
    </Section>
  );
}
