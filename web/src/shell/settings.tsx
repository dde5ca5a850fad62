import { Select } from '../parts/field.tsx';
import { useSignal } from '../signal.ts';
import { choose, preferences } from '../preferences.ts';

/** The menu of the person's settings. */
export function Settings() {
  const { theme, zone, density } = useSignal(preferences);
  return (
    <>
      <Select
        label="Theme"
        value={theme}
        options={[
          ['system', 'Like the system'],
          ['light', 'Light'],
          ['dark', 'Dark'],
        ]}
        onChange={(chosen) => choose({ theme: chosen })}
      />
      <Select
        label="Times"
        value={zone}
        options={[
          ['local', 'In my time zone'],
          ['utc', 'UTC'],
          ['ledger', 'As on the ledger'],
        ]}
        onChange={(chosen) => choose({ zone: chosen })}
      />
      <Select
        label="Rows"
        value={density}
        options={[
          ['comfortable', 'Comfortable'],
          ['compact', 'Compact'],
        ]}
        onChange={(chosen) => choose({ density: chosen })}
      />
    </>
  );
}
