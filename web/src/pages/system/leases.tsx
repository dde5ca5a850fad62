import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { Badge } from '../../parts/badge.tsx';
import { Section } from '../../parts/page.tsx';
import { Empty, Shown } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { Id } from '../../parts/copy.tsx';
import * as t from '../../texts/system.tsx';

type Lease = components['schemas']['OpsLease'];

const COLUMNS: readonly Column<Lease>[] = [
  { name: t.lease, cell: ({ name }) => <strong>{name}</strong> },
  {
    name: t.state,
    cell: ({ held }) =>
      held ? <Badge tone="good">{t.held}</Badge> : <Badge tone="bad">{t.notHeld}</Badge>,
  },
  { name: t.holder, cell: ({ name }) => t.work[name] ?? '', as: 'grow' },
  { name: t.process, cell: ({ holder }) => <Id id={holder} what={t.processWord} /> },
  { name: t.until, cell: ({ until }) => <Time at={until} /> },
  { name: t.epoch, cell: ({ epoch }) => epoch, as: 'end' },
];

/** Shows which process performs each duty that only one process may have at a time. */
export function Leases() {
  const leases = useRead('/ops/leases', {}, { topics: ['desk'], everyMs: 5_000 });
  return (
    <Section title={t.leases}>
      <Shown of={leases} lines={3}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={t.noLeaseHasBeenTakenYet}>
              <p>{t.processesWithTheRolesProjector}</p>
            </Empty>
          ) : (
            <Table
              label={t.leasesAndTheirHolders}
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
