import { addressOf } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { Button } from '../../parts/button.tsx';
import { CopyAs } from '../../parts/copy.tsx';
import { Dialog, DialogFoot } from '../../parts/dialog.tsx';
import { Shown } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { amount, durationWords } from '../../parts/words.ts';

type Plan = components['schemas']['Plan'];
type Version = components['schemas']['PlanVersion'];

const COLUMNS: readonly Column<Version>[] = [
  { name: 'Version', cell: ({ version }) => version },
  { name: 'Fee', as: 'end', cell: ({ fee, instrument }) => amount(fee, instrument) },
  { name: 'Period', cell: ({ period }) => durationWords(period) },
  { name: 'Seats', as: 'end', cell: ({ seats }) => seats ?? 'Any number' },
  { name: 'Made', cell: ({ createdAt }) => <Time at={createdAt} as="short" /> },
];

interface PlanVersionsProps {
  readonly plan: Plan;
  readonly onClose: () => void;
}

/** All versions of a plan. A licence keeps the version under which it was sold. */
export function PlanVersions({ plan: { id, name }, onClose }: PlanVersionsProps) {
  const asked = { path: { id } };
  const versions = useRead('/plans/{id}/versions', asked, { topics: ['plan'], isWhole: true });
  return (
    <Dialog title={`Versions of ${name}`} isWide onClose={onClose}>
      <Shown of={versions} lines={3}>
        {({ data }) => (
          <Table
            label={`Versions of ${name}`}
            rows={data}
            keyOf={({ version }) => String(version)}
            columns={COLUMNS}
          />
        )}
      </Shown>
      <DialogFoot>
        <CopyAs
          url={addressOf('/plans/{id}/versions', asked)}
          cli={`tenure plans versions ${id}`}
        />
        <Button onClick={onClose}>Close</Button>
      </DialogFoot>
    </Dialog>
  );
}
