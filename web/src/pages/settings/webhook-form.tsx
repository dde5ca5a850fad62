import { useState } from 'react';
import { WriteEnd, faultAt } from '../../acts/write-state.tsx';
import { useWrite } from '../../acts/use-write.ts';
import { Button } from '../../parts/button.tsx';
import { CopyAs } from '../../parts/copy.tsx';
import { Dialog, DialogFoot } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { EventTypes } from './event-types.tsx';

interface WebhookFormProps {
  readonly title: string;
  readonly verb: string;
  readonly method: 'POST' | 'PATCH';
  /** The address to which the form is sent. */
  readonly address: string;
  readonly url: string;
  readonly types: readonly string[];
  readonly cli: (url: string, types: readonly string[]) => string;
  readonly onClose: () => void;
  readonly onDone: (body: unknown) => void;
}

/** The form for a webhook's address and event types, for a new webhook and for changes. */
export function WebhookForm(props: WebhookFormProps) {
  const { title, verb, method, address, cli, onClose, onDone } = props;
  const [url, setUrl] = useState(props.url);
  const [types, setTypes] = useState(props.types);
  const { state, send } = useWrite('webhook');
  const body = { url, types };
  const submit = async (): Promise<void> => {
    const end = await send({ method, url: address, body });
    if (end.kind === 'done') onDone(end.answer.body);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        style={{ display: 'contents' }}
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <TextField
          label="Address"
          type="url"
          value={url}
          required
          autoFocus
          maxLength={2_048}
          hint="An https address that Tenure can reach."
          fault={faultAt(state, 'url')}
          onChange={setUrl}
        />
        <EventTypes types={types} onChange={setTypes} />
        <WriteEnd state={state} hasFields />
        <DialogFoot>
          <CopyAs url={address} method={method} body={body} cli={cli(url, types)} />
          <Button onClick={onClose}>Close</Button>
          {state.kind === 'unknown' ? null : (
            <Button look="primary" type="submit" isBusy={state.kind === 'sending'}>
              {verb}
            </Button>
          )}
        </DialogFoot>
      </form>
    </Dialog>
  );
}
