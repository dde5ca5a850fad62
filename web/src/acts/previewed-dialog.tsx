import { useState } from 'react';
import type { ReactNode } from 'react';
import type { Write } from '../api/client.ts';
import type { Topic } from '../api/use-read.ts';
import { Button } from '../parts/button.tsx';
import { CopyAs } from '../parts/copy.tsx';
import { Dialog, DialogFoot } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { Time, useNowMs } from '../parts/time.tsx';
import { countWords } from '../parts/words.ts';
import styles from './previewed.module.css';
import { useWrite } from './use-write.ts';
import { WriteEnd } from './write-state.tsx';

/** The effect that an act on many things would have. Nothing has been done yet. */
export interface ActPreview {
  readonly count: number;
  readonly refused: readonly { readonly reason: string; readonly count: number }[];
  readonly token: string;
  readonly expiresAt: string;
}

interface LeftOutProps {
  readonly title: string;
  readonly refused: ActPreview['refused'];
}

/** Lists the reasons for which an act leaves out some things, each with the number of these things. */
export function LeftOut({ title, refused }: LeftOutProps) {
  if (refused.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <ul className={styles.reasons}>
        {refused.map(({ reason, count }) => (
          <li key={reason}>
            <strong>{countWords(count)}</strong> {reason}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface PreviewProps {
  readonly preview: ActPreview;
  /** Text that follows the number: "operations to retry". */
  readonly words: string;
  /** The first things that the act would cover, as items of a list. */
  readonly first: readonly ReactNode[];
}

function Preview({ preview: { count, refused, expiresAt }, words, first }: PreviewProps) {
  const isOver = Date.parse(expiresAt) < useNowMs();
  return (
    <div className={styles.preview} role="status">
      <p className={styles.count}>
        <strong>{countWords(count)}</strong>
        <span>{words}. Nothing has been done yet.</span>
      </p>
      <LeftOut title="Left out" refused={refused} />
      {first.length === 0 ? null : (
        <div>
          <h3>The first of them</h3>
          <ul className={styles.first}>{first}</ul>
        </div>
      )}
      <p className={styles.small}>
        {isOver ? (
          'This preview has expired. Go back and make a new preview.'
        ) : (
          <>
            Good until <Time at={expiresAt} as="short" />. The action is refused if the number has
            changed since.
          </>
        )}
      </p>
    </div>
  );
}

interface PreviewedDialogProps<Shown extends ActPreview> {
  readonly title: string;
  /** Describes the things on which the dialog acts. */
  readonly lead: ReactNode;
  readonly topics: readonly Topic[];
  readonly fields: ReactNode;
  /** The request for the preview. */
  readonly look: Write;
  /** Returns whether the form is complete. If not, the form shows its mistakes. */
  readonly isWhole: () => boolean;
  readonly words: (preview: Shown) => string;
  readonly first: (preview: Shown) => readonly ReactNode[];
  readonly apply: (preview: Shown) => Write;
  readonly verb: string;
  readonly isDanger: boolean;
  /** Whether the person must type the number, because the act cannot be undone. */
  readonly isFinal?: boolean;
  readonly cli?: string | undefined;
  /** Where a person can check whether the act was recorded, if there was no answer. */
  readonly whereElse?: ReactNode;
  readonly onDone: (answer: unknown) => void;
  readonly onClose: () => void;
}

/**
 * An act on many things, in three steps: the form, the preview, the act. The act covers exactly the things that the
 * preview has counted, or is refused.
 */
export function PreviewedDialog<Shown extends ActPreview>(props: PreviewedDialogProps<Shown>) {
  const { title, lead, topics, fields, look, isWhole, isFinal = false, whereElse, onClose } = props;
  const [preview, setPreview] = useState<Shown | null>(null);
  const [typed, setTyped] = useState('');
  const { state, send, reset } = useWrite(...topics);
  const isBusy = state.kind === 'sending';
  const see = async (): Promise<void> => {
    if (!isWhole()) return;
    const end = await send(look);
    if (end.kind === 'done') setPreview(end.answer.body as Shown);
  };
  const apply = async (shown: Shown): Promise<void> => {
    const end = await send(props.apply(shown));
    if (end.kind === 'done') props.onDone(end.answer.body);
  };
  const back = (): void => {
    reset();
    setTyped('');
    setPreview(null);
  };
  const refusal = ({ count }: Shown): string | undefined => {
    if (count === 0) return 'There is nothing to act on';
    const isTyped = typed.replaceAll(/[\s,.’']/gu, '') === String(count);
    return isFinal && !isTyped ? `Type ${count} first` : undefined;
  };
  return (
    <Dialog title={title} onClose={onClose} isWide>
      <p>{lead}</p>
      {preview === null ? (
        fields
      ) : (
        <>
          <Preview preview={preview} words={props.words(preview)} first={props.first(preview)} />
          {isFinal && preview.count > 0 ? (
            <TextField
              label="How many"
              hint={`Type ${preview.count} to confirm. This cannot be undone.`}
              inputMode="numeric"
              value={typed}
              onChange={setTyped}
            />
          ) : null}
        </>
      )}
      <WriteEnd state={state} isRepeatable />
      {state.kind === 'unknown' && preview !== null ? whereElse : null}
      <DialogFoot>
        <CopyAs url={look.url} method={look.method} body={look.body} cli={props.cli} />
        <Button onClick={preview === null ? onClose : back}>
          {preview === null ? 'Cancel' : 'Back'}
        </Button>
        {preview === null ? (
          <Button look="primary" isBusy={isBusy} onClick={() => void see()}>
            Preview
          </Button>
        ) : (
          <Button
            look={props.isDanger ? 'danger' : 'primary'}
            isBusy={isBusy}
            refused={refusal(preview)}
            onClick={() => void apply(preview)}
          >
            {`${props.verb} ${countWords(preview.count)}`}
          </Button>
        )}
      </DialogFoot>
    </Dialog>
  );
}
