import { useState } from 'react';
import type { components } from '../../../../client/schema.ts';
import { DurationField } from '../../parts/duration-field.tsx';
import { Select, TextField } from '../../parts/field.tsx';
import { MetadataFields } from '../../parts/metadata-fields.tsx';
import { metadataOf } from '../../parts/metadata.ts';
import type { MetadataRows } from '../../parts/metadata.ts';
import { changedOf, cliOf } from './cli.ts';
import type { Members } from './cli.ts';
import { FormDialog } from '../../acts/form-dialog.tsx';
import type { FaultOf } from '../../acts/form-dialog.tsx';

type Plan = components['schemas']['Plan'];

interface Form {
  readonly id: string;
  readonly name: string;
  readonly fee: string;
  readonly instrument: string;
  readonly period: string;
  readonly prepareUntilDuration: string;
  readonly settleBeforeDuration: string;
  readonly trial: string;
  readonly grace: string;
  readonly offlineTime: string;
  readonly heartbeatTime: string;
  /** The number of seats. Empty: any number of seats. */
  readonly seats: string;
}

/** The values that the API uses for absent members. */
const FIRST: Form = {
  id: '',
  name: '',
  fee: '',
  instrument: 'Amulet',
  period: 'P1M',
  prepareUntilDuration: 'P3D',
  settleBeforeDuration: 'P4D',
  trial: 'PT0S',
  grace: 'PT0S',
  offlineTime: 'P7D',
  heartbeatTime: 'PT1H',
  seats: '',
};

const MARKED: readonly string[] = Object.keys(FIRST);

const formOf = ({ seats, ...plan }: Plan): Form => ({
  ...(Object.fromEntries(MARKED.map((name) => [name, plan[name]])) as unknown as Form),
  seats: seats === null ? '' : String(seats),
});

/** Returns the plan as the API accepts it, without its ID. */
function membersOf({ id: _id, seats, ...form }: Form, entitlements: object): Members {
  return {
    ...form,
    name: form.name.trim(),
    fee: form.fee.trim(),
    seats: seats === '' ? null : Number(seats),
    entitlements: entitlements as Readonly<Record<string, string>>,
  };
}

const OTHER = 'other';
const PERIODS = [
  ['P1M', 'A calendar month'],
  ['P1Y', 'A calendar year'],
  [OTHER, 'Another time'],
] as const;

interface FieldsProps {
  readonly form: Form;
  /** Whether the plan is new. Only then can the ID be chosen. */
  readonly isNew: boolean;
  readonly faultOf: FaultOf;
  readonly onChange: (over: Partial<Form>) => void;
}

function PeriodField({ form: { period }, faultOf, onChange }: FieldsProps) {
  const isNamed = period === 'P1M' || period === 'P1Y';
  return (
    <>
      <Select
        label="Period"
        hint="The time that one fee covers."
        value={isNamed ? period : OTHER}
        options={PERIODS}
        onChange={(chosen) => onChange({ period: chosen === OTHER ? 'P30D' : chosen })}
      />
      {isNamed ? null : (
        <DurationField
          label="Time of one fee"
          value={period}
          fault={faultOf('period')}
          onChange={(value) => onChange({ period: value })}
        />
      )}
    </>
  );
}

const TIMES = [
  ['prepareUntilDuration', 'Time to pay', 'How long the user may pay.'],
  ['settleBeforeDuration', 'Time to complete', 'Longer than the time to pay.'],
  ['trial', 'Trial', 'No policy ends a new licence during this time.'],
  ['grace', 'Grace', 'No policy ends an expired licence during this time.'],
  ['offlineTime', 'Offline files', 'The longest validity of a licence file.'],
  ['heartbeatTime', 'Heartbeat', 'A machine without a heartbeat for this time frees its seat.'],
] as const;

function Fields(props: FieldsProps) {
  const { form, isNew, faultOf, onChange } = props;
  const field = (name: keyof Form, label: string, hint: string, more: object = {}) => (
    <TextField
      label={label}
      hint={hint}
      value={form[name]}
      fault={faultOf(name)}
      onChange={(value) => onChange({ [name]: value })}
      {...more}
    />
  );
  return (
    <>
      {isNew
        ? field('id', 'ID', 'Small letters, digits and hyphens. Contracts name the plan by it.', {
            required: true,
            pattern: '[a-z0-9][a-z0-9\\-]{0,62}',
          })
        : null}
      {field('name', 'Name', 'The name that people read.', { required: true, maxLength: 255 })}
      {field('fee', 'Fee', 'For one period. The amount is kept exactly as you enter it.', {
        required: true,
        inputMode: 'decimal',
      })}
      {field('instrument', 'Instrument', 'The token in which the fee is paid.', { required: true })}
      <PeriodField {...props} />
      {field('seats', 'Seats', 'Machines at a time. Empty: any number.', {
        inputMode: 'numeric',
        pattern: '[1-9][0-9]*',
      })}
      {TIMES.map(([name, label, hint]) => (
        <DurationField
          key={name}
          label={label}
          hint={hint}
          value={form[name]}
          fault={faultOf(name)}
          onChange={(value) => onChange({ [name]: value })}
        />
      ))}
    </>
  );
}

const addOf = (id: string, members: Members) => ({
  write: { method: 'POST' as const, url: '/plans', body: { id, ...members } },
  cli: cliOf(`tenure plans add ${id === '' ? 'ID' : id}`, members),
});

function changeOf(plan: Plan, members: Members) {
  const body = changedOf(plan as unknown as Members, members);
  return {
    write: {
      method: 'PATCH' as const,
      url: `/plans/${encodeURIComponent(plan.id)}`,
      body,
      headers: { 'if-match': `"${plan.revision}"` },
    },
    cli: cliOf(`tenure plans change ${plan.id}`, body, true),
  };
}

interface PlanFormProps {
  /** The plan that gets a new version; null for a new plan. */
  readonly plan: Plan | null;
  readonly onClose: () => void;
}

/** A form that creates a plan, or a new version of a plan. */
export function PlanForm({ plan, onClose }: PlanFormProps) {
  // The form keeps its initial values, even if another person changes the plan in the meantime.
  const [before] = useState(plan);
  const [form, setForm] = useState(before === null ? FIRST : formOf(before));
  const [rows, setRows] = useState<MetadataRows>(Object.entries(before?.entitlements ?? {}));
  const entitlements = metadataOf(rows);
  const isWrong = typeof entitlements === 'string';
  const members = membersOf(form, isWrong ? {} : entitlements.data);
  const { write, cli } = before === null ? addOf(form.id, members) : changeOf(before, members);
  const isSame = before !== null && Object.keys(write.body).length === 0;
  const same = isSame ? 'Change something first: a new version must differ.' : undefined;
  return (
    <FormDialog
      title={before === null ? 'New plan' : `New version of ${before.name}`}
      verb={before === null ? 'Add plan' : 'Create version'}
      write={write}
      cli={cli}
      topics={['plan']}
      marked={MARKED}
      fault={isWrong ? entitlements : same}
      onClose={onClose}
    >
      {(faultOf) => (
        <>
          {before === null ? null : (
            <p>
              New licences get version {before.version + 1}. Licences that are already sold keep
              their version.
            </p>
          )}
          <Fields
            form={form}
            isNew={before === null}
            faultOf={faultOf}
            onChange={(over) => setForm({ ...form, ...over })}
          />
          <MetadataFields
            legend="Entitlements"
            hint="What a licence includes, for example “projects” and 10. The contract contains the entitlements."
            rows={rows}
            onChange={setRows}
          />
        </>
      )}
    </FormDialog>
  );
}
