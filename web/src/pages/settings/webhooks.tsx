import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useReadOnly } from '../../api/caller.tsx';
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
import * as t from '../../texts/webhooks.tsx';
import { typesLine } from './event-types.tsx';
import { SecretDialog, secretIn } from './secret-dialog.tsx';
import type { Secret } from './secret-dialog.tsx';
import { WebhookForm } from './webhook-form.tsx';

type Webhook = components['schemas']['Webhook'];

export function WebhookBadge({ webhook }: { readonly webhook: Webhook }) {
  if (!webhook.enabled) return <Badge icon="pause">{t.disabled}</Badge>;
  return webhook.failures > 0 ? (
    <Badge tone="warn">{t.failing}</Badge>
  ) : (
    <Badge tone="good">{t.on}</Badge>
  );
}

const COLUMNS: readonly Column<Webhook>[] = [
  {
    name: t.address,
    as: 'grow',
    cell: ({ id, url }) => (
      <Link to={PATHS.webhook} params={{ id }}>
        {url}
      </Link>
    ),
  },
  { name: t.state, cell: (webhook) => <WebhookBadge webhook={webhook} /> },
  { name: t.events, as: 'grow', cell: ({ types }) => typesLine(types) },
  { name: t.failuresInARow, as: 'end', cell: ({ failures }) => failures },
  { name: t.made, cell: ({ createdAt }) => <Time at={createdAt} /> },
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
  const full = isFull ? t.aPartyHasAtMostTwenty : undefined;
  const refusal = useReadOnly() ?? full;
  const add = (
    <Button look="primary" icon="plus" refused={refusal} onClick={() => open('add')}>
      {t.addAWebhook}
    </Button>
  );
  return (
    <Page
      title={t.webhooks}
      lead={t.tenureSendsSignedEventsAbout}
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
            <Empty title={t.youHaveNoWebhooksYet}>
              <p>{t.addTheAddressOfAReceiver}</p>
            </Empty>
          ) : (
            <Table label={t.webhooks} rows={data} keyOf={({ id }) => id} columns={COLUMNS} />
          )
        }
      </Shown>
      {act === 'add' && refusal === undefined ? (
        <WebhookForm
          title={t.addAWebhook}
          verb={t.add}
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
