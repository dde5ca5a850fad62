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
import * as t from '../../texts/plans.ts';

type Plan = components['schemas']['Plan'];
type Version = components['schemas']['PlanVersion'];

const COLUMNS: readonly Column<Version>[] = [
  { name: t.version, cell: ({ version }) => version },
  { name: t.fee, as: 'end', cell: ({ fee, instrument }) => amount(fee, instrument) },
  { name: t.period, cell: ({ period }) => durationWords(period) },
  { name: t.seats, as: 'end', cell: ({ seats }) => seats ?? t.anyNumber },
  { name: t.made, cell: ({ createdAt }) => <Time at={createdAt} as="short" /> },
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
    <Dialog title={t.versionsOf(name)} isWide onClose={onClose}>
      <Shown of={versions} lines={3}>
        {({ data }) => (
          <Table
            label={t.versionsOf(name)}
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
        <Button onClick={onClose}>{t.close}</Button>
      </DialogFoot>
    </Dialog>
  );
}
