import type { ReactNode } from 'react';
import { WriteEnd } from '../../acts/write-state.tsx';
import type { WriteState } from '../../acts/use-write.ts';
import { Button } from '../../parts/button.tsx';
import { CopyAs } from '../../parts/copy.tsx';
import { Note } from '../../parts/note.tsx';
import type { PolicyConfirmation, PolicyPreview } from './confirm-policy.tsx';
import { ConfirmPolicy, Ends } from './confirm-policy.tsx';
import styles from './settings.module.css';
import { useProposal } from './use-policy.ts';

/** The labels of a policy's members. */
export type Words<T> = readonly (readonly [name: keyof T & string, label: string])[];

interface OthersProps<T> {
  readonly mine: T;
  readonly others: T;
  readonly words: Words<T>;
  readonly onTake: () => void;
  readonly onKeep: () => void;
}

const shown = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/**
 * Shown if another person has saved the policy since the form was filled. Lists the differences and asks whose values
 * to keep.
 */
function Others<T extends object>({ mine, others, words, onTake, onKeep }: OthersProps<T>) {
  const differing = words.filter(([name]) => shown(mine[name]) !== shown(others[name]));
  return (
    <div role="alert">
      <Note
        tone="warn"
        title="Another person has saved this policy in the meantime."
        acts={
          <>
            <Button onClick={onTake}>Take the saved values</Button>
            <Button onClick={onKeep}>Keep mine, and overwrite the saved values</Button>
          </>
        }
      >
        <dl className={styles.other}>
          {differing.map(([name, label]) => (
            <div key={name} style={{ display: 'contents' }}>
              <dt>{label}</dt>
              <dd>saved: {shown(others[name])}</dd>
              <dd>yours: {shown(mine[name])}</dd>
            </div>
          ))}
        </dl>
      </Note>
    </div>
  );
}

interface PolicyFormProps<T extends object> {
  readonly url: string;
  readonly cli: string;
  readonly form: T;
  readonly words: Words<T>;
  readonly others: T | null;
  readonly state: WriteState;
  readonly isChanged: boolean;
  /** A mistake in the form, because of which it cannot be saved; null if there is none. */
  readonly mistake: string | null;
  readonly onSave: () => void;
  readonly onReload: () => void;
  readonly onKeep: () => void;
  readonly preview: PolicyPreview | null;
  readonly onConfirm: (confirmation: PolicyConfirmation) => void;
  readonly onCancel: () => void;
  readonly children: ReactNode;
}

/** The frame of a policy's form, with its buttons, conflicts and mistakes. */
export function PolicyForm<T extends object>(props: PolicyFormProps<T>) {
  const { url, cli, form, words, others, state, isChanged, mistake, children } = props;
  const proposal = useProposal(url, form, isChanged && mistake === null);
  const isConflict = state.kind === 'refused' && state.error.status === 412;
  return (
    <>
      <form
        noValidate
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (mistake === null && others === null && isChanged) props.onSave();
        }}
      >
        {children}
        {others === null ? null : (
          <Others
            mine={form}
            others={others}
            words={words}
            onTake={props.onReload}
            onKeep={props.onKeep}
          />
        )}
        {(isConflict && others !== null) || props.preview !== null ? null : (
          <WriteEnd state={state} hasFields />
        )}
        {mistake === null ? null : <p role="alert">{mistake}</p>}
        {proposal === null ? null : (
          <p role="status" className={styles.proposal}>
            This form, not saved: <Ends preview={proposal} />
          </p>
        )}
        <div className={styles.foot}>
          <Button
            look="primary"
            type="submit"
            isBusy={state.kind === 'sending'}
            refused={
              others !== null
                ? 'Choose which values to keep.'
                : isChanged
                  ? undefined
                  : 'No changes.'
            }
          >
            Save
          </Button>
          {isChanged ? <Button onClick={props.onReload}>Discard changes</Button> : null}
          <CopyAs url={url} method="PUT" body={form} cli={cli} />
          <span role="status">{state.kind === 'done' && !isChanged ? 'Saved.' : ''}</span>
        </div>
      </form>
      {props.preview === null ? null : (
        <ConfirmPolicy
          preview={props.preview}
          state={state}
          onConfirm={props.onConfirm}
          onClose={props.onCancel}
        />
      )}
    </>
  );
}
