import { useState } from 'react';
import type { ReactNode } from 'react';
import { Button } from '../parts/button.tsx';
import type { ButtonLook } from '../parts/button.tsx';
import { CopyAs, quoted } from '../parts/copy.tsx';
import { Dialog, DialogFoot } from '../parts/dialog.tsx';
import type { Write } from '../api/client.ts';
import type { components } from '../../../client/schema.ts';
import type { Topic } from '../api/use-read.ts';
import { TextArea } from '../parts/field.tsx';
import { Note } from '../parts/note.tsx';
import { useWrite } from './use-write.ts';
import { WriteEnd } from './write-state.tsx';

const REASON_CHARS_MAX = 2_000;

interface OnceDialogProps {
  readonly title: string;
  readonly verb: string;
  readonly look?: ButtonLook;
  readonly url: string;
  /** Returns the members of the body other than the reason, or a text that says what is wrong with the form. */
  readonly more?: () => object | string;
  /** The command line without the reason: `tenure ops retry …`. */
  readonly cli?: string;
  /**
   * The address of a preview, for an act that cannot be undone. The preview is shown first, and the act is confirmed
   * with the token of the preview.
   */
  readonly preview?: string;
  /** Returns how the act is sent. @default a POST with the reason, the other members and the confirmation */
  readonly writeOf?: (reason: string, confirmation: Confirmation) => Write;
  /** The topics that are read again after the act. @default the desk */
  readonly topics?: readonly Topic[];
  /** Whether a second request would have no further effect. */
  readonly isRepeatable?: boolean;
  readonly onDone?: (body: unknown) => void;
  readonly onClose: () => void;
  /** The explanation of the act, and its other fields. */
  readonly children?: ReactNode;
}

interface Confirmation {
  readonly token: string;
  readonly count: number;
}

type ActPreview = components['schemas']['ActPreview'];

/** Shows the preview of an act that cannot be undone. */
function Shows({ preview }: { readonly preview: ActPreview }) {
  return (
    <div role="status">
      <Note tone="warn" title="This cannot be undone.">
        {preview.shows.map((line) => (
          <p key={line}>{line}</p>
        ))}
      </Note>
    </div>
  );
}

/** The dialog that asks for the reason of an operator's act, and sends the act once. */
export function OnceDialog(props: OnceDialogProps) {
  const { title, verb, look = 'primary', url, more, cli, isRepeatable = false } = props;
  const { onDone, onClose, children, topics = ['desk'], preview, writeOf } = props;
  const [reason, setReason] = useState('');
  const [fault, setFault] = useState<string>();
  const [seen, setSeen] = useState<ActPreview | null>(null);
  const { state, send, reset } = useWrite(...topics);
  const isAsking = preview !== undefined && seen === null;
  const made = more?.() ?? {};
  const body = { ...(typeof made === 'string' ? {} : made), reason: reason.trim() };
  const writeWith = (asked: typeof body, confirmed: ActPreview | null): Write => {
    if (confirmed === null) return { method: 'POST', url, body: asked };
    const { token, count } = confirmed;
    const confirmation = { token, count };
    return (
      writeOf?.(asked.reason, confirmation) ?? {
        method: 'POST',
        url,
        body: { ...asked, confirmation },
      }
    );
  };
  const submit = async (): Promise<void> => {
    const wrong = body.reason === '' ? 'Give a reason. The audit log keeps the reason.' : undefined;
    setFault(wrong ?? (typeof made === 'string' ? made : undefined));
    if (wrong !== undefined || typeof made === 'string') return;
    if (isAsking) {
      const asked = await send({ method: 'POST', url: preview, body: made });
      if (asked.kind !== 'done') return;
      setSeen(asked.answer.body as ActPreview);
      reset();
      return;
    }
    const end = await send(writeWith(body, seen));
    if (end.kind !== 'done') return;
    onDone?.(end.answer.body);
    onClose();
  };
  const shown: Write = isAsking
    ? { method: 'POST', url: preview, body: made }
    : writeWith(body, seen);
  const isOver = state.kind === 'unknown' && !isRepeatable;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        style={{ display: 'contents' }}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {seen === null ? children : <Shows preview={seen} />}
        <TextArea
          label="Reason"
          hint="The audit log keeps the reason."
          required
          rows={3}
          maxLength={REASON_CHARS_MAX}
          value={reason}
          fault={fault}
          onChange={setReason}
        />
        <WriteEnd state={state} isRepeatable={isRepeatable} />
        <DialogFoot>
          <CopyAs
            url={shown.url}
            method={shown.method}
            body={shown.body}
            cli={cli === undefined ? undefined : `${cli} --reason ${quoted(body.reason || 'why')}`}
          />
          {seen === null || isOver ? null : (
            <Button
              onClick={() => {
                reset();
                setSeen(null);
              }}
            >
              Back
            </Button>
          )}
          <Button onClick={onClose}>{isOver ? 'Close' : 'Cancel'}</Button>
          {isOver ? null : (
            <Button look={look} type="submit" isBusy={state.kind === 'sending'}>
              {isAsking ? 'Preview' : state.kind === 'unknown' ? 'Send again' : verb}
            </Button>
          )}
        </DialogFoot>
      </form>
    </Dialog>
  );
}
