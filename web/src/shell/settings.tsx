import { Select } from '../parts/field.tsx';
import { useSignal } from '../signal.ts';
import { choose, preferences } from '../preferences.ts';
import * as t from '../texts/shell.tsx';

/** The menu of the person's settings. */
export function Settings() {
  const { theme, zone, density } = useSignal(preferences);
  return (
    <>
      <Select
        label={t.theme}
        value={theme}
        options={[
          ['system', t.likeTheSystem],
          ['light', t.light],
          ['dark', t.dark],
        ]}
        onChange={(chosen) => choose({ theme: chosen })}
      />
      <Select
        label={t.times}
        value={zone}
        options={[
          ['local', t.inMyTimeZone],
          ['utc', t.utc],
          ['ledger', t.asOnTheLedger],
        ]}
        onChange={(chosen) => choose({ zone: chosen })}
      />
      <Select
        label={t.rows}
        value={density}
        options={[
          ['comfortable', t.comfortable],
          ['compact', t.compact],
        ]}
        onChange={(chosen) => choose({ density: chosen })}
      />
    </>
  );
}
