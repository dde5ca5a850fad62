import { faultAt } from '../../acts/write-state.tsx';
import type { Answer } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { durationMs } from '../../parts/duration.ts';
import { DurationField } from '../../parts/duration-field.tsx';
import { Check, Select, TextField } from '../../parts/field.tsx';
import { PolicyForm } from './policy-form.tsx';
import type { Words } from './policy-form.tsx';
import { QuietHoursField, quietHoursLine } from './quiet-hours.tsx';
import styles from './settings.module.css';
import { usePolicy } from './use-policy.ts';

type Policy = components['schemas']['ExpiryPolicy'];

const URL = '/policies/expiry';

const MODES = [
  ['off', 'Off: no licence is ended automatically'],
  ['dry-run', 'Dry run: only list licences that would end'],
  ['on', 'On: end licences that are due'],
] as const;

const WORDS: Words<Policy> = [
  ['mode', 'Mode'],
  ['grace', 'Grace'],
  ['includeNeverRenewed', 'Also licences that were never renewed'],
  ['quietHours', 'Quiet hours'],
  ['paused', 'Paused'],
  ['maxInFlight', 'At once'],
];

const TIME = /^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/u;

function mistakeIn({ grace, maxInFlight, quietHours }: Policy): string | null {
  if (durationMs(grace) === null) return 'Enter a grace period; 0 means none.';
  if (!Number.isInteger(maxInFlight) || maxInFlight < 1 || maxInFlight > 1_000) {
    return 'Between 1 and 1,000 expiries can run at the same time.';
  }
  const odd = quietHours.find(
    ({ from, to }) => !TIME.test(from) || from === '24:00' || !TIME.test(to) || from === to,
  );
  return odd === undefined
    ? null
    : `Quiet hours from ${odd.from} to ${odd.to}: times are HH:MM, and differ.`;
}

const cliOf = (policy: Policy): string => {
  const hours = quietHoursLine(policy.quietHours);
  return [
    `tenure policy set expiry --mode ${policy.mode} --grace ${policy.grace}`,
    `--include-never-renewed ${policy.includeNeverRenewed} --paused ${policy.paused}`,
    `--max-in-flight ${policy.maxInFlight}${hours === '' ? '' : ` --quiet-hours ${hours}`}`,
  ].join(' ');
};

/** The form of the policy that ends expired licences. */
export function ExpiryForm({ read }: { readonly read: Answer<Policy> }) {
  const edit = usePolicy(URL, read);
  const { form, set, state } = edit;
  return (
    <PolicyForm
      url={URL}
      cli={cliOf(form)}
      form={form}
      words={WORDS}
      others={edit.others}
      state={state}
      isChanged={edit.isChanged}
      mistake={edit.isChanged ? mistakeIn(form) : null}
      onSave={edit.save}
      onReload={edit.reload}
      onKeep={edit.keepMine}
      preview={edit.preview}
      onConfirm={edit.confirm}
      onCancel={edit.cancel}
    >
      <div className={styles.columns}>
        <Select
          label="Mode"
          value={form.mode}
          options={MODES}
          fault={faultAt(state, 'mode')}
          onChange={(mode) => set({ mode })}
        />
        <DurationField
          label="Grace period after expiry"
          value={form.grace}
          fault={faultAt(state, 'grace')}
          onChange={(grace) => set({ grace })}
        />
        <TextField
          label="Maximum simultaneous expiries"
          inputMode="numeric"
          value={Number.isNaN(form.maxInFlight) ? '' : String(form.maxInFlight)}
          fault={faultAt(state, 'maxInFlight')}
          onChange={(text) => set({ maxInFlight: Number.parseInt(text, 10) })}
        />
      </div>
      <Check
        label="Also end licences that were never renewed (this includes new licences)"
        isChecked={form.includeNeverRenewed}
        onChange={(includeNeverRenewed) => set({ includeNeverRenewed })}
      />
      <Check
        label="Pause: start no new expiries; running ones finish"
        isChecked={form.paused}
        onChange={(paused) => set({ paused })}
      />
      <QuietHoursField
        hours={form.quietHours}
        faultAt={(place, member) => faultAt(state, `quietHours.${place}.${member}`)}
        onChange={(quietHours) => set({ quietHours: [...quietHours] })}
      />
    </PolicyForm>
  );
}
