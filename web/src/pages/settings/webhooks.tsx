import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useRoles } from '../../api/caller.tsx';
import { addressOf } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { CopyAs } from '../../parts/copy.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Shown } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { PATHS } from '../../paths.ts';
import { typesLine } from './event-types.tsx';
import { SecretDialog, secretIn } from './secret-dialog.tsx';
import type { Secret } from './secret-dialog.tsx';
import { WebhookForm } from './webhook-form.tsx';

type Webhook = components['schemas']['Webhook'];

export function WebhookBadge({ webhook }: { readonly webhook: Webhook }) {
  if (!webhook.enabled) return <Badge icon="pause">Disabled</Badge>;
  return webhook.failures > 0 ? <Badge tone="warn">Failing</Badge> : <Badge tone="good">On</Badge>;
}

const COLUMNS: readonly Column<Webhook>[] = [
  {
    name: 'Address',
    as: 'grow',
    cell: ({ id, url }) => (
      <Link to={PATHS.webhook} params={{ id }}>
        {url}
      </Link>
    ),
  },
  { name: 'State', cell: (webhook) => <WebhookBadge webhook={webhook} /> },
  { name: 'Events', as: 'grow', cell: ({ types }) => typesLine(types) },
  { name: 'Failures in a row', as: 'end', cell: ({ failures }) => failures },
  { name: 'Made', cell: ({ createdAt }) => <Time at={createdAt} /> },
];

const LIMIT = 20;

const cliOf = (url: string, types: readonly string[]): string =>
  `tenure webhooks add --url '${url}'${types.map((type) => ` --types '${type}'`).join('')} --secret-file hook.secret`;

/** The page of webhooks. */
export function WebhooksPage() {
  const { act } = useSearch({ from: PATHS.webhooks });
  const navigate = useNavigate({ from: PATHS.webhooks });
  const [secret, setSecret] = useState<Secret | null>(null);
  const webhooks = useRead('/webhooks', {}, { topics: ['webhook'], everyMs: 30_000 });
  const open = (name: string | undefined): void =>
    void navigate({ search: name === undefined ? {} : { act: name } });
  const isFull = (webhooks.data?.data.length ?? 0) >= LIMIT;
  const full = isFull ? 'A party has at most twenty webhooks.' : undefined;
  const refusal = useRoles().has('write') ? full : 'Your permissions allow reading only.';
  const add = (
    <Button look="primary" icon="plus" refused={refusal} onClick={() => open('add')}>
      Add a webhook
    </Button>
  );
  return (
    <Page
      title="Webhooks"
      lead="Tenure sends signed events about your operations and lifecycles to your programs, and repeats them until a program answers."
      acts={
        <>
          {add}
          <CopyAs url={addressOf('/webhooks', {})} cli="tenure webhooks list" />
        </>
      }
    >
      <Shown of={webhooks}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="You have no webhooks yet.">
              <p>Add the address of a receiver for Standard Webhooks, and test it.</p>
            </Empty>
          ) : (
            <Table label="Webhooks" rows={data} keyOf={({ id }) => id} columns={COLUMNS} />
          )
        }
      </Shown>
      {act === 'add' && refusal === undefined ? (
        <WebhookForm
          title="Add a webhook"
          verb="Add"
          method="POST"
          address="/webhooks"
          url=""
          types={[]}
          cli={cliOf}
          onClose={() => open(undefined)}
          onDone={(body) => {
            setSecret(secretIn(body));
            open(undefined);
          }}
        />
      ) : null}
      {secret === null ? null : <SecretDialog of={secret} onClose={() => setSecret(null)} />}
    </Page>
  );
}
