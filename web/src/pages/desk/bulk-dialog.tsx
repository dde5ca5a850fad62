import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useWrite } from '../../acts/use-write.ts';
import { WriteEnd } from '../../acts/write-state.tsx';
import type { components } from '../../../../client/schema.ts';
import { Button } from '../../parts/button.tsx';
import { CopyAs, quoted } from '../../parts/copy.tsx';
import { Dialog, DialogFoot } from '../../parts/dialog.tsx';
import { PATHS } from '../../paths.ts';
import { cliFlags } from '../../parts/flags.ts';
import type { BulkAction, BulkForm } from './bulk-form.tsx';
import { BulkFields } from './bulk-form.tsx';
import { BulkPreview } from './bulk-preview.tsx';
import type { OpsFilter } from './filter.ts';
import { BULK_WORDS } from './desk-words.ts';
import { asQuery, filterSentence } from './filter.ts';

type Preview = components['schemas']['BulkPreview'];
type Act = components['schemas']['BulkAct'];

interface BulkDialogProps {
  readonly filter: OpsFilter;
  readonly action?: BulkAction;
  readonly onClose: () => void;
}

const bodyOf = ({ action, decision, reason }: BulkForm, filter: OpsFilter) => ({
  action,
  ...(action === 'decide' ? { decision } : {}),
  filter: asQuery(filter),
  reason: reason.trim(),
});

/**
 * An act on all operations of a filter: the form, then a preview, then the act. The act covers the operations that the
 * preview counted, never the rows of a page.
 */
export function BulkDialog({ filter, action = 'retry', onClose }: BulkDialogProps) {
  const navigate = useNavigate();
  const [form, setForm] = useState<BulkForm>({ action, decision: 'no-effect', reason: '' });
  const [fault, setFault] = useState<string>();
  const [preview, setPreview] = useState<Preview | null>(null);
  const { state, send, reset } = useWrite('desk');
  const look = async (): Promise<void> => {
    if (form.reason.trim() === '') {
      setFault('Say why: the audit log keeps it.');
      return;
    }
    setFault(undefined);
    const body = bodyOf(form, filter);
    const end = await send({ method: 'POST', url: '/ops/operations:preview', body });
    if (end.kind === 'done') setPreview(end.answer.body as Preview);
  };
  const apply = async ({ token, count }: Preview): Promise<void> => {
    const url = '/ops/operations:apply';
    const end = await send({ method: 'POST', url, body: { token, count } });
    if (end.kind !== 'done') return;
    const { id } = end.answer.body as Act;
    onClose();
    await navigate({ to: PATHS.act, params: { id } });
  };
  const isBusy = state.kind === 'sending';
  return (
    <Dialog title="Act on all of these" onClose={onClose} isWide>
      <p>
        On <strong>{filterSentence(filter)}</strong>, however many pages there are.
      </p>
      {preview === null ? (
        <BulkFields form={form} fault={fault} onChange={setForm} />
      ) : (
        <BulkPreview form={form} preview={preview} />
      )}
      <WriteEnd state={state} isRepeatable />
      {state.kind === 'unknown' && preview !== null ? (
        <p>
          <Link to={PATHS.acts}>Bulk acts</Link> shows whether it is there.
        </p>
      ) : null}
      <DialogFoot>
        <CopyAs
          url="/ops/operations:preview"
          method="POST"
          body={bodyOf(form, filter)}
          cli={`tenure ops bulk ${form.action}${cliFlags(filter)}${
            form.action === 'decide' ? ` --decision ${form.decision}` : ''
          } --reason ${quoted(form.reason.trim() || 'why')}`}
        />
        {preview === null ? (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button look="primary" isBusy={isBusy} onClick={() => void look()}>
              See what it would do
            </Button>
          </>
        ) : (
          <>
            <Button
              onClick={() => {
                reset();
                setPreview(null);
              }}
            >
              Back
            </Button>
            <Button
              look={form.action === 'retry' ? 'primary' : 'danger'}
              isBusy={isBusy}
              refused={preview.count === 0 ? 'There is none that it can be done to' : undefined}
              onClick={() => void apply(preview)}
            >
              {`${BULK_WORDS[form.action] ?? form.action} ${preview.count}`}
            </Button>
          </>
        )}
      </DialogFoot>
    </Dialog>
  );
}
