import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { Badge } from '../../parts/badge.tsx';
import { Section } from '../../parts/page.tsx';
import { Empty, Shown } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { Id } from '../../parts/copy.tsx';

type Lease = components['schemas']['OpsLease'];

/** The duties for which there are leases, in words. */
const WORK: Readonly<Record<string, string>> = {
  projector: 'reads the ledger’s updates',
  clock: 'fires timers and starts the actions of policies',
  events: 'publishes events and delivers webhooks',
};

const COLUMNS: readonly Column<Lease>[] = [
  { name: 'Lease', cell: ({ name }) => <strong>{name}</strong> },
  {
    name: 'State',
    cell: ({ held }) =>
      held ? <Badge tone="good">Held</Badge> : <Badge tone="bad">Not held</Badge>,
  },
  { name: 'Holder', cell: ({ name }) => WORK[name] ?? '', as: 'grow' },
  { name: 'Process', cell: ({ holder }) => <Id id={holder} what="process" /> },
  { name: 'Until', cell: ({ until }) => <Time at={until} /> },
  { name: 'Epoch', cell: ({ epoch }) => epoch, as: 'end' },
];

/** Shows which process performs each duty that only one process may have at a time. */
export function Leases() {
  const leases = useRead('/ops/leases', {}, { topics: ['desk'], everyMs: 5_000 });
  return (
    <Section title="Leases">
      <Shown of={leases} lines={3}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No lease has been taken yet.">
              <p>Processes with the roles projector and clock take them when they start.</p>
            </Empty>
          ) : (
            <Table
              label="Leases and their holders"
              rows={data}
              keyOf={({ name }) => name}
              columns={COLUMNS}
            />
          )
        }
      </Shown>
    </Section>
  );
}
