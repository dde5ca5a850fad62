import { useSearch } from '@tanstack/react-router';
import { WriteEnd } from '../../acts/write-state.tsx';
import { useWrite } from '../../acts/use-write.ts';
import { addressOf } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
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
import styles from './settings.module.css';

type Delivery = components['schemas']['Delivery'];
type Webhook = components['schemas']['Webhook'];

const LIMIT = 50;

const STATES: Readonly<Record<Delivery['state'], readonly [Tone, string]>> = {
  pending: ['info', 'Waits'],
  delivered: ['good', 'Delivered'],
  failed: ['bad', 'Given up'],
};

interface StateCellProps {
  readonly delivery: Delivery;
  readonly webhook: Webhook;
}

/** Shows when a delivery is tried next. If its webhook fails or is disabled, deliveries that are due wait. */
function Next({ dueAt, webhook: { enabled, failures } }: { dueAt: string; webhook: Webhook }) {
  const isDue = Date.parse(dueAt) <= useNowMs();
  if (!enabled) return 'until it is enabled';
  if (isDue) return failures === 0 ? 'is sent next' : 'for earlier deliveries';
  return (
    <>
      next try <Time at={dueAt} />
    </>
  );
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
  if (lastAttempt === undefined) return 'not tried yet';
  const { at, ms, status, error } = lastAttempt;
  const words = error === null || error === '' ? [] : [error];
  const answer = [status === null ? 'No answer' : `HTTP ${status}`, ...words].join(': ');
  return (
    <>
      {answer} after {ms} ms, <Time at={at} />
    </>
  );
}

const columnsFor = (
  webhook: Webhook,
  redeliver: (delivery: Delivery) => void,
): readonly Column<Delivery>[] => [
  { name: 'Event', cell: ({ type }) => type },
  { name: 'State', cell: (delivery) => <StateCell delivery={delivery} webhook={webhook} /> },
  { name: 'Attempts', as: 'end', cell: ({ attempts }) => attempts },
  { name: 'Last answer', as: 'grow', cell: (delivery) => <LastCell delivery={delivery} /> },
  { name: 'Made', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: 'Message', cell: ({ messageId }) => <Id id={messageId} what="message ID" /> },
  {
    name: 'Again',
    cell: (delivery) => (
      <Button
        isSmall
        icon="repeat"
        refused={webhook.enabled ? undefined : 'The webhook is disabled'}
        aria-label={`Send again: ${delivery.messageId}`}
        onClick={() => redeliver(delivery)}
      >
        Send again
      </Button>
    ),
  },
];

/** The deliveries to a webhook, newest first. */
export function Deliveries({ webhook }: { readonly webhook: Webhook }) {
  const { id } = webhook;
  const { cursor } = useSearch({ from: PATHS.webhook });
  const { state, send } = useWrite('webhook');
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
      title="Deliveries"
      more={
        <CopyAs
          url={addressOf('/webhooks/{id}/deliveries', asked)}
          cli={`tenure webhooks deliveries ${id}`}
          acts={newest.map((delivery) => ({
            name: `Send ${delivery.messageId} again`,
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
        label="Deliveries to this webhook"
        keyOf={(delivery) => delivery.id}
        columns={columnsFor(webhook, redeliver)}
        empty={
          <Empty title="Nothing has been sent to this webhook yet.">
            <p>Send a test, or wait for the next event.</p>
          </Empty>
        }
      />
    </Section>
  );
}
