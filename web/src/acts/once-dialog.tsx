import { useState } from 'react';
import type { ReactNode } from 'react';
import { Button } from '../parts/button.tsx';
import type { ButtonLook } from '../parts/button.tsx';
import { CopyAs, quoted } from '../parts/copy.tsx';
import { Dialog, DialogFoot } from '../parts/dialog.tsx';
import { TextArea } from '../parts/field.tsx';
import { useWrite } from './use-write.ts';
import { WriteEnd } from './write-state.tsx';

const REASON_CHARS_MAX = 2_000;

interface OnceDialogProps {
  readonly title: string;
  readonly verb: string;
  readonly look?: ButtonLook;
  readonly url: string;
  /** What the body has besides the reason; a text instead says what is still wrong with the form. */
  readonly more?: () => object | string;
  /** Without the reason: `tenure ops retry …`. */
  readonly cli?: string;
  /** Sent a second time, it does nothing more. */
  readonly isRepeatable?: boolean;
  readonly onDone?: (body: unknown) => void;
  readonly onClose: () => void;
  /** What the act means, and its other fields. */
  readonly children?: ReactNode;
}

/** Asks for the reason of an operator's act, and sends it once. */
export function OnceDialog(props: OnceDialogProps) {
  const { title, verb, look = 'primary', url, more, cli, isRepeatable = false } = props;
  const { onDone, onClose, children } = props;
  const [reason, setReason] = useState('');
  const [fault, setFault] = useState<string>();
  const { state, send } = useWrite('desk');
  const made = more?.() ?? {};
  const body = { ...(typeof made === 'string' ? {} : made), reason: reason.trim() };
  const submit = async (): Promise<void> => {
    const wrong = body.reason === '' ? 'Say why: the audit log keeps it.' : undefined;
    setFault(wrong ?? (typeof made === 'string' ? made : undefined));
    if (wrong !== undefined || typeof made === 'string') return;
    const end = await send({ method: 'POST', url, body });
    if (end.kind !== 'done') return;
    onDone?.(end.answer.body);
    onClose();
  };
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
        {children}
        <TextArea
          label="Reason"
          hint="Kept in the audit log, for those who read it later."
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
            url={url}
            method="POST"
            body={body}
            cli={cli === undefined ? undefined : `${cli} --reason ${quoted(body.reason || 'why')}`}
          />
          <Button onClick={onClose}>{isOver ? 'Close' : 'Cancel'}</Button>
          {isOver ? null : (
            <Button look={look} type="submit" isBusy={state.kind === 'sending'}>
              {state.kind === 'unknown' ? 'Send again' : verb}
            </Button>
          )}
        </DialogFoot>
      </form>
    </Dialog>
  );
}
