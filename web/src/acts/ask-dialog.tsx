import { useState } from 'react';
import type { ReactNode } from 'react';
import { Badge } from '../parts/badge.tsx';
import { Button } from '../parts/button.tsx';
import type { ButtonLook } from '../parts/button.tsx';
import { CopyAs } from '../parts/copy.tsx';
import { Dialog, DialogFoot } from '../parts/dialog.tsx';
import { ProblemText } from '../parts/states.tsx';
import { endDraft, useCommand } from './use-command.ts';

export interface AskDialogProps {
  /** The name of the act and its object. A command ID belongs to this name, even after a reload. */
  readonly form: string;
  readonly title: string;
  /** The name of the operation while it is in progress: "Expire licence 3". */
  readonly label: string;
  readonly verb: string;
  /** The message for a success, in the past tense: "Renewal offered." */
  readonly done: string;
  readonly look?: ButtonLook;
  readonly url: string;
  /** Returns the body to send, or a text that says what is wrong with the form. */
  readonly body: () => object | string;
  readonly cli?: string;
  readonly onClose: () => void;
  /** Renders the content that is shown after a success. `result` is the body of the answer. */
  readonly renderDone?: (result: unknown) => ReactNode;
  /** The fields, and an explanation of the act. */
  readonly children?: ReactNode;
}

/**
 * The dialog for one act on a lifecycle. Sends the act once, and shows its progress until it ends. If the dialog is
 * closed before that, the dock shows the act.
 */
export function AskDialog(props: AskDialogProps) {
  const { form, title, label, verb, done, look = 'primary', url, body, cli } = props;
  const { onClose, renderDone, children } = props;
  const { commandId, command, send, renew } = useCommand(form);
  const [fault, setFault] = useState<string | null>(null);
  const close = (): void => {
    // The dock shows the command that was sent. The next act of this form gets a new command.
    if (command !== undefined) endDraft(form);
    onClose();
  };
  const submit = (): void => {
    const made = body();
    if (typeof made === 'string') {
      setFault(made);
      return;
    }
    setFault(null);
    send({ label, done, url, body: made });
  };
  const state = command?.state;
  const isOpen = state === 'sending' || state === 'accepted';
  return (
    <Dialog title={title} onClose={close}>
      <form
        style={{ display: 'contents' }}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {state === undefined ? children : null}
        {fault === null ? null : <p role="alert">{fault}</p>}
        {isOpen ? (
          <p role="status">
            <Badge tone="info">{state === 'sending' ? 'Sending' : 'Sent to the ledger'}</Badge>{' '}
            {command?.waiting ??
              'The page shows the result when it is known. You may close this dialog.'}
          </p>
        ) : null}
        {state === 'succeeded' ? (
          <div role="status">
            <Badge tone="good">Done</Badge> {done}
            {renderDone?.(command?.result)}
          </div>
        ) : null}
        {command?.problem == null ? null : <ProblemText problem={command.problem} />}
        <DialogFoot>
          <CopyAs
            url={`${url}?commandId=${commandId}`}
            method="POST"
            body={typeof body() === 'string' ? {} : body()}
            cli={cli}
          />
          {state === undefined || isOpen ? (
            <Button onClick={close}>{isOpen ? 'Close' : 'Cancel'}</Button>
          ) : null}
          {state === 'failed' ? <Button onClick={renew}>Change and try again</Button> : null}
          {state === 'succeeded' || state === 'failed' ? (
            <Button look="primary" onClick={close}>
              Close
            </Button>
          ) : (
            <Button look={look} type="submit" isBusy={isOpen}>
              {verb}
            </Button>
          )}
        </DialogFoot>
      </form>
    </Dialog>
  );
}
