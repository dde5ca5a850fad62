import { addressOf } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { CopyAs } from '../../parts/copy.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Note } from '../../parts/note.tsx';
import { Page } from '../../parts/page.tsx';
import { Shown } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { sentence } from '../../parts/words.ts';
import { useCaller } from '../../api/caller.tsx';
import type { Attention } from './attention-parts.tsx';
import { PART_NAMES, PARTS, PROVIDERS } from './attention-parts.tsx';
import styles from './attention.module.css';
import { Rates } from './rates.tsx';

/** Says that nothing needs a person. */
function Calm({ asOf }: Pick<Attention, 'asOf'>) {
  return (
    <div className={styles.calm}>
      <span className={styles.calmMark}>
        <Icon name="check" size={28} />
      </span>
      <div>
        <h2>No action needed.</h2>
        <p>
          No operation is in doubt or waits for long, no failure is open, and nothing is paused.
          Checked <Time at={asOf} />.
        </p>
      </div>
    </div>
  );
}

/** Names the groups without items, and the groups that this operator may not see. */
function Rest({ of }: { readonly of: Attention }) {
  const { operatorOf } = useCaller();
  const isNone = (name: keyof typeof PART_NAMES): boolean => of[name]?.count === 0;
  const none = PARTS.filter(({ name }) => isNone(name)).map(({ name }) => PART_NAMES[name]);
  return (
    <div className={styles.rest}>
      {none.length === 0 ? null : (
        <p>
          <Icon name="check" size={14} /> No problems with: {none.join(', ')}.
        </p>
      )}
      {operatorOf === 'tenant' ? (
        <p>
          {sentence(PROVIDERS.map((name) => PART_NAMES[name]).join(', '))} belong to the whole
          deployment; the provider’s operators take care of them.
        </p>
      ) : null}
      <p>
        Checked <Time at={of.asOf} />.
      </p>
    </div>
  );
}

function Digest({ of }: { readonly of: Attention }) {
  const needed = PARTS.filter(({ name }) => (of[name]?.count ?? 0) > 0);
  const isCalm = needed.length === 0 && of.unavailable.length === 0;
  return (
    <>
      {of.unavailable.length === 0 ? null : (
        <div role="alert">
          <Note tone="bad" title="Some parts could not be read">
            <p>
              Nothing is known at the moment about:{' '}
              {of.unavailable.map((name) => PART_NAMES[name]).join(', ')}. The page reads them again
              automatically.
            </p>
          </Note>
        </div>
      )}
      {isCalm ? <Calm asOf={of.asOf} /> : null}
      {needed.map(({ name, Part }) => (
        <Part key={name} of={of} />
      ))}
      <Rates />
      {isCalm ? null : <Rest of={of} />}
    </>
  );
}

/**
 * The page that lists everything that needs a person. The most serious group comes first, and each item has a button
 * for the act that it needs.
 */
export function AttentionPage() {
  const attention = useRead('/ops/attention', {}, { topics: ['desk'], everyMs: 10_000 });
  return (
    <Page
      title="Needs attention"
      lead="Problems that need a person, the most serious first."
      acts={<CopyAs url={addressOf('/ops/attention', {})} cli="tenure ops attention" />}
    >
      <Shown of={attention}>{({ data }) => <Digest of={data} />}</Shown>
    </Page>
  );
}
