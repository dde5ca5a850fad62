import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { PreviewedDialog } from '../../acts/previewed-dialog.tsx';
import type { components } from '../../../../client/schema.ts';
import { quoted } from '../../parts/copy.tsx';
import { cliFlags } from '../../parts/flags.ts';
import { Time } from '../../parts/time.tsx';
import { operationName } from '../../parts/words.ts';
import { PATHS } from '../../paths.ts';
import type { BulkAction, BulkForm } from './bulk-form.tsx';
import { BulkFields } from './bulk-form.tsx';
import { BULK_WORDS, DECISION_WORDS } from './desk-words.ts';
import type { OpsFilter } from './filter.ts';
import { asQuery, filterSentence } from './filter.ts';
import { StateBadge } from './operation-table.tsx';

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

const cliOf = ({ action, decision, reason }: BulkForm, filter: OpsFilter): string =>
  `tenure ops bulk ${action}${cliFlags(filter)}${
    action === 'decide' ? ` --decision ${decision}` : ''
  } --reason ${quoted(reason.trim() || 'why')}`;

const wordsOf = ({ action, decision }: BulkForm, { count }: Preview): string =>
  `${count === 1 ? 'operation' : 'operations'} to ${BULK_WORDS[action]?.toLowerCase()}${
    action === 'decide' ? ` as “${DECISION_WORDS[decision]?.[0] ?? ''}”` : ''
  }`;

interface Sampled {
  readonly id: string;
  readonly operation: string;
  readonly state: string;
  readonly acceptedAt: string;
}

const FIRST_SHOWN = 5;

const firstOf = ({ sample }: Preview): readonly ReactNode[] =>
  (sample as unknown as readonly Sampled[])
    .slice(0, FIRST_SHOWN)
    .map(({ id, operation, state, acceptedAt }) => (
      <li key={id} title={id}>
        <span>
          <StateBadge state={state} /> {operationName(operation)}
        </span>
        <Time at={acceptedAt} />
      </li>
    ));

/**
 * The dialog for an act on all operations of a filter, in three steps: the form, the preview, the act. The act covers
 * the operations that the preview counted, not the rows of the page.
 */
export function BulkDialog({ filter, action = 'retry', onClose }: BulkDialogProps) {
  const navigate = useNavigate();
  const [form, setForm] = useState<BulkForm>({ action, decision: 'no-effect', reason: '' });
  const [fault, setFault] = useState<string>();
  const isWhole = (): boolean => {
    const hasReason = form.reason.trim() !== '';
    setFault(hasReason ? undefined : 'Give a reason. The audit log keeps the reason.');
    return hasReason;
  };
  return (
    <PreviewedDialog<Preview>
      title="Act on all of these"
      lead={
        <>
          On <strong>{filterSentence(filter)}</strong>, on all pages.
        </>
      }
      topics={['desk']}
      fields={<BulkFields form={form} fault={fault} onChange={setForm} />}
      isWhole={isWhole}
      look={{ method: 'POST', url: '/ops/operations:preview', body: bodyOf(form, filter) }}
      words={(preview) => wordsOf(form, preview)}
      first={firstOf}
      apply={({ token, count }) => ({
        method: 'POST',
        url: '/ops/operations:apply',
        body: { token, count },
      })}
      verb={BULK_WORDS[form.action] ?? form.action}
      isDanger={form.action !== 'retry'}
      cli={cliOf(form, filter)}
      whereElse={
        <p>
          <Link to={PATHS.acts}>Bulk acts</Link> shows whether it is there.
        </p>
      }
      onDone={(answer) => {
        onClose();
        void navigate({ to: PATHS.act, params: { id: (answer as Act).id } });
      }}
      onClose={onClose}
    />
  );
}
