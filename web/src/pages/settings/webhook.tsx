import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { WriteEnd, WriteDialog } from '../../acts/write-state.tsx';
import { useWrite } from '../../acts/use-write.ts';
import { addressOf } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { Button } from '../../parts/button.tsx';
import { CopyAs, Id } from '../../parts/copy.tsx';
import { Note } from '../../parts/note.tsx';
import { Facts, Page, Section } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { PATHS } from '../../paths.ts';
import { One } from '../../parts/one.tsx';
import { Deliveries } from './deliveries.tsx';
import { typesLine } from './event-types.tsx';
import { SecretDialog, secretIn } from './secret-dialog.tsx';
import type { Secret } from './secret-dialog.tsx';
import styles from './settings.module.css';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookBadge } from './webhooks.tsx';

type Webhook = components['schemas']['Webhook'];

const DISABLED = 'The webhook is disabled. Enable it first.';

interface DialogsProps {
  readonly webhook: Webhook;
  readonly act: string | undefined;
  readonly onClose: () => void;
  readonly onSecret: (secret: Secret | null) => void;
}

function Dialogs({ webhook, act, onClose, onSecret }: DialogsProps) {
  const navigate = useNavigate();
  const { id, url, types } = webhook;
  const at = addressOf('/webhooks/{id}', { path: { id } });
  if (act === 'change') {
    return (
      <WebhookForm
        title="Change the webhook"
        verb="Save"
        method="PATCH"
        address={at}
        url={url}
        types={types}
        cli={(to, told) =>
          `tenure webhooks change ${id} --url '${to}'${told.map((type) => ` --types '${type}'`).join('')}`
        }
        onClose={onClose}
        onDone={onClose}
      />
    );
  }
  if (act === 'rotate') {
    return (
      <WriteDialog
        title="Create a new secret"
        verb="Create a new secret"
        look="primary"
        write={{ method: 'POST', url: `${at}:rotate-secret` }}
        topics={['webhook']}
        cli={`tenure webhooks rotate-secret ${id}`}
        onClose={onClose}
        onDone={(body) => {
          onSecret(secretIn(body));
          onClose();
        }}
      >
        <p>
          The new secret is shown once. The old secret also signs for one day, so that no delivery
          is rejected.
        </p>
      </WriteDialog>
    );
  }
  if (act !== 'delete') return null;
  return (
    <WriteDialog
      title="Delete the webhook"
      verb="Delete"
      write={{ method: 'DELETE', url: at }}
      topics={['webhook']}
      cli={`tenure webhooks remove ${id}`}
      onClose={onClose}
      onDone={() => void navigate({ to: PATHS.webhooks })}
    >
      <p>
        <code>{url}</code> receives no more events. Waiting deliveries are not sent, and the list of
        deliveries is deleted.
      </p>
    </WriteDialog>
  );
}

interface ActsProps {
  readonly webhook: Webhook;
  readonly onAct: (act: string) => void;
}

/** The buttons of a webhook. Some act at once, and others open a dialog first. */
function Acts({ webhook, onAct }: ActsProps) {
  const { id, enabled } = webhook;
  const { state, send } = useWrite('webhook');
  const at = addressOf('/webhooks/{id}', { path: { id } });
  const isBusy = state.kind === 'sending';
  return (
    <div className={styles.form}>
      <div className={styles.foot}>
        <Button
          look="primary"
          isBusy={isBusy}
          refused={enabled ? undefined : DISABLED}
          onClick={() => void send({ method: 'POST', url: `${at}:test` })}
        >
          Send a test
        </Button>
        <Button
          icon={enabled ? 'pause' : 'play'}
          isBusy={isBusy}
          onClick={() => void send({ method: 'PATCH', url: at, body: { enabled: !enabled } })}
        >
          {enabled ? 'Disable' : 'Enable'}
        </Button>
        <Button onClick={() => onAct('change')}>Change</Button>
        <Button onClick={() => onAct('rotate')}>New secret</Button>
        <Button look="danger" onClick={() => onAct('delete')}>
          Delete
        </Button>
        <CopyAs
          url={at}
          cli={`tenure webhooks show ${id}`}
          acts={[
            {
              name: 'Send a test',
              method: 'POST',
              url: `${at}:test`,
              cli: `tenure webhooks test ${id}`,
            },
            {
              name: enabled ? 'Disable' : 'Enable',
              method: 'PATCH',
              url: at,
              body: { enabled: !enabled },
              cli: `tenure webhooks ${enabled ? 'disable' : 'enable'} ${id}`,
            },
          ]}
        />
      </div>
      <WriteEnd state={state} />
    </div>
  );
}

function Standing({ webhook }: { readonly webhook: Webhook }) {
  const { enabled, disabledReason, failures, failingSince } = webhook;
  if (!enabled) {
    return (
      <Note title="Nothing is sent to this webhook.">
        <p>
          It is disabled: {disabledReason ?? 'no reason is known'}. New events wait until it is
          enabled.
        </p>
      </Note>
    );
  }
  if (failures === 0) return null;
  return (
    <Note tone="warn" title={`The last ${failures === 1 ? 'try' : `${failures} tries`} failed.`}>
      <p>
        {failingSince === null ? null : (
          <>
            Since <Time at={failingSince} as="exact" />.{' '}
          </>
        )}
        Tenure sends one delivery at a time until the receiver accepts one. The deliveries below
        show the receiver’s answers.
      </p>
    </Note>
  );
}

/** The page of one webhook: its address, its event types and its deliveries. */
export function WebhookPage() {
  const { id } = useParams({ from: PATHS.webhook });
  const { act } = useSearch({ from: PATHS.webhook });
  const navigate = useNavigate({ from: PATHS.webhook });
  const [secret, setSecret] = useState<Secret | null>(null);
  const webhook = useRead(
    '/webhooks/{id}',
    { path: { id } },
    { topics: ['webhook'], everyMs: 15_000 },
  );
  const open = (name: string | undefined): void =>
    void navigate({
      search: ({ act: _open, ...rest }) => (name === undefined ? rest : { ...rest, act: name }),
    });
  return (
    <One of={webhook} name="Webhook" list={{ to: PATHS.webhooks, name: 'Webhooks' }}>
      {({ data }) => (
        <Page
          title="Webhook"
          crumb={<Link to={PATHS.webhooks}>Webhooks</Link>}
          badge={<WebhookBadge webhook={data} />}
          lead={<code>{data.url}</code>}
        >
          <Acts webhook={data} onAct={open} />
          <Standing webhook={data} />
          <Section title="Facts" isCard>
            <Facts
              of={[
                ['Events', typesLine(data.types)],
                ['Made', <Time key="made" at={data.createdAt} as="short" />],
                ['Identifier', <Id key="id" id={data.id} what="webhook’s identifier" />],
              ]}
            />
          </Section>
          <Deliveries webhook={data} />
          <Dialogs webhook={data} act={act} onClose={() => open(undefined)} onSecret={setSecret} />
          {secret === null ? null : <SecretDialog of={secret} onClose={() => setSecret(null)} />}
        </Page>
      )}
    </One>
  );
}
