import { useSearch } from '@tanstack/react-router';
import { WriteEnd } from '../../acts/write-state.tsx';
import { useWrite } from '../../acts/use-write.ts';
import { addressOf } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useReadOnly } from '../../api/caller.tsx';
import { useRead } from '../../api/use-read.ts';
import { Badge } from '../../parts/badge.tsx';
import type { Tone } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { CopyAs, Id } from '../../parts/copy.tsx';
import { List } from '../../parts/list.tsx';
import { Section } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time, useNowMs } from '../../parts/time.tsx';
import { PATHS } from '../../paths.ts';
import * as t from '../../texts/webhooks.tsx';
import styles from './settings.module.css';

type Delivery = components['schemas']['Delivery'];
type Webhook = components['schemas']['Webhook'];

const LIMIT = 50;

const STATES: Readonly<Record<Delivery['state'], readonly [Tone, string]>> = {
  pending: ['info', t.waits],
  delivered: ['good', t.delivered],
  failed: ['bad', t.givenUp],
};

interface StateCellProps {
  readonly delivery: Delivery;
  readonly webhook: Webhook;
}

/** Shows when a delivery is tried next. If its webhook fails or is disabled, deliveries that are due wait. */
function Next({ dueAt, webhook: { enabled, failures } }: { dueAt: string; webhook: Webhook }) {
  const isDue = Date.parse(dueAt) <= useNowMs();
  if (!enabled) return t.untilItIsEnabled;
  if (isDue) return failures === 0 ? t.isSentNext : t.forEarlierDeliveries;
  return t.nextTry(<Time at={dueAt} />);
}

function StateCell({ delivery: { state, dueAt }, webhook }: StateCellProps) {
  const [tone, words] = STATES[state];
  return (
    <>
      <Badge tone={tone}>{words}</Badge>{' '}
      {dueAt === undefined ? null : (
        <span className={styles.small}>
          <Next dueAt={dueAt} webhook={webhook} />
        </span>
      )}
    </>
  );
}

function LastCell({ delivery: { lastAttempt } }: { readonly delivery: Delivery }) {
  if (lastAttempt === undefined) return t.notTriedYet;
  const { at, ms, status, error } = lastAttempt;
  const words = error === null || error === '' ? [] : [error];
  const answer = [status === null ? t.noAnswer : t.httpStatus(status), ...words].join(': ');
  return t.afterMs(answer, ms, <Time at={at} />);
}

const columnsFor = (
  webhook: Webhook,
  refused: string | undefined,
  redeliver: (delivery: Delivery) => void,
): readonly Column<Delivery>[] => [
  { name: t.event, cell: ({ type }) => type },
  { name: t.state, cell: (delivery) => <StateCell delivery={delivery} webhook={webhook} /> },
  { name: t.attempts, as: 'end', cell: ({ attempts }) => attempts },
  { name: t.lastAnswer, as: 'grow', cell: (delivery) => <LastCell delivery={delivery} /> },
  { name: t.made, cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: t.message, cell: ({ messageId }) => <Id id={messageId} what={t.messageId} /> },
  {
    name: t.again,
    cell: (delivery) => (
      <Button
        isSmall
        icon="repeat"
        refused={refused ?? (webhook.enabled ? undefined : t.theWebhookIsDisabled)}
        aria-label={t.sendAgainLabel(delivery.messageId)}
        onClick={() => redeliver(delivery)}
      >
        {t.sendAgain}
      </Button>
    ),
  },
];

/** The deliveries to a webhook, newest first. */
export function Deliveries({ webhook }: { readonly webhook: Webhook }) {
  const { id } = webhook;
  const { cursor } = useSearch({ from: PATHS.webhook });
  const { state, send } = useWrite('webhook');
  const refused = useReadOnly();
  const query = { limit: LIMIT, ...(cursor === undefined ? {} : { cursor }) };
  const asked = { path: { id }, query };
  const deliveries = useRead('/webhooks/{id}/deliveries', asked, {
    topics: ['webhook', 'operation'],
    everyMs: 5_000,
  });
  const again = (delivery: Delivery) =>
    `/webhooks/${encodeURIComponent(id)}/deliveries/${encodeURIComponent(delivery.id)}:redeliver`;
  const redeliver = (delivery: Delivery): void =>
    void send({ method: 'POST', url: again(delivery) });
  const newest = deliveries.data?.data.slice(0, 1) ?? [];
  return (
    <Section
      title={t.deliveries}
      more={
        <CopyAs
          url={addressOf('/webhooks/{id}/deliveries', asked)}
          cli={`tenure webhooks deliveries ${id}`}
          acts={newest.map((delivery) => ({
            name: t.sendMessageAgain(delivery.messageId),
            method: 'POST',
            url: again(delivery),
            cli: `tenure webhooks redeliver ${id} ${delivery.id}`,
          }))}
        />
      }
    >
      <WriteEnd state={state} />
      <List
        of={deliveries}
        label={t.deliveriesToThisWebhook}
        keyOf={(delivery) => delivery.id}
        columns={columnsFor(webhook, refused, redeliver)}
        empty={
          <Empty title={t.nothingHasBeenSentToThis}>
            <p>{t.sendATestOrWaitFor}</p>
          </Empty>
        }
      />
    </Section>
  );
}
