import { useState } from 'react';
import type { components } from '../../../../client/schema.ts';
import { MetadataFields } from '../../parts/metadata-fields.tsx';
import { metadataOf } from '../../parts/metadata.ts';
import type { MetadataRows } from '../../parts/metadata.ts';
import { TextArea, TextField } from '../../parts/field.tsx';
import { changedOf, cliOf } from './cli.ts';
import type { Members } from './cli.ts';
import { FormDialog } from '../../acts/form-dialog.tsx';
import type { FaultOf } from '../../acts/form-dialog.tsx';

type Customer = components['schemas']['Customer'];

interface Form {
  readonly party: string;
  readonly name: string;
  readonly shortName: string;
  readonly emails: string;
  readonly timeZone: string;
  readonly language: string;
  readonly note: string;
}

const EMPTY: Form = {
  party: '',
  name: '',
  shortName: '',
  emails: '',
  timeZone: '',
  language: '',
  note: '',
};

const MARKED: readonly string[] = Object.keys(EMPTY);

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

const membersOf = (form: Form, references: object): Members => ({
  name: form.name.trim(),
  shortName: orNull(form.shortName),
  emails: form.emails.split(/[\s,;]+/u).filter((email) => email !== ''),
  timeZone: orNull(form.timeZone),
  language: orNull(form.language),
  note: form.note.trim(),
  externalReferences: references as Readonly<Record<string, string>>,
});

interface FieldsProps {
  readonly form: Form;
  /** Whether the customer is new. Only then can the party be chosen. */
  readonly isNew: boolean;
  /** The addresses that get no mail because their readers have unsubscribed. */
  readonly unsubscribed: readonly string[];
  readonly faultOf: FaultOf;
  readonly onChange: (over: Partial<Form>) => void;
}

function Fields({ form, isNew, unsubscribed, faultOf, onChange }: FieldsProps) {
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
        ? field('party', 'Party', 'The user on the ledger: hint::fingerprint.', {
            required: true,
            maxLength: 255,
          })
        : null}
      {field('name', 'Name', 'The name that you call the customer by.', {
        required: true,
        maxLength: 255,
      })}
      {field('shortName', 'Short name', 'References of new licences begin with it: ACME-0001.', {
        pattern: '[A-Z0-9]{1,16}',
        title: 'Up to 16 capital letters and digits',
      })}
      {field(
        'emails',
        'Mail addresses',
        unsubscribed.length === 0
          ? 'Separate several addresses by commas.'
          : `Separate several addresses by commas. ${unsubscribed.length} unsubscribed: ${unsubscribed.join(', ')}.`,
      )}
      {field('timeZone', 'Time zone', 'For example Europe/Zurich.', { maxLength: 64 })}
      {field('language', 'Language', 'For example de-CH.', { maxLength: 35 })}
      <TextArea
        label="Note"
        hint="Only providers see the note."
        rows={3}
        maxLength={10_000}
        value={form.note}
        fault={faultOf('note')}
        onChange={(note) => onChange({ note })}
      />
    </>
  );
}

interface CustomerFormProps {
  /** The customer to change; null for a new one. */
  readonly customer: Customer | null;
  /** The party of a new customer, if the form was opened from one of its licences. */
  readonly party: string | undefined;
  readonly onClose: () => void;
}

const formOf = (customer: Customer): Form => ({
  party: customer.party,
  name: customer.name,
  shortName: customer.shortName ?? '',
  emails: customer.emails.join(', '),
  timeZone: customer.timeZone ?? '',
  language: customer.language ?? '',
  note: customer.note,
});

const addOf = (party: string, members: Members) => ({
  write: { method: 'POST' as const, url: '/customers', body: { party, ...members } },
  cli: cliOf('tenure customers add', { party, ...members }),
});

function changeOf(customer: Customer, members: Members) {
  const body = changedOf(customer as unknown as Members, members);
  return {
    write: {
      method: 'PATCH' as const,
      url: `/customers/${encodeURIComponent(customer.id)}`,
      body,
      headers: { 'if-match': `"${customer.version}"` },
    },
    cli: cliOf(`tenure customers change ${customer.id}`, body, true),
  };
}

/** A form that names a party, and changes the data of a customer. */
export function CustomerForm({ customer, party = '', onClose }: CustomerFormProps) {
  // The form keeps its initial values, even if another person changes the customer in the meantime.
  const [before] = useState(customer);
  const [form, setForm] = useState<Form>(before === null ? { ...EMPTY, party } : formOf(before));
  const [rows, setRows] = useState<MetadataRows>(Object.entries(before?.externalReferences ?? {}));
  const references = metadataOf(rows);
  const isWrong = typeof references === 'string';
  const members = membersOf(form, isWrong ? {} : references.data);
  const { write, cli } =
    before === null ? addOf(form.party.trim(), members) : changeOf(before, members);
  return (
    <FormDialog
      title={before === null ? 'Add a customer' : `Change ${before.name}`}
      verb={before === null ? 'Add' : 'Save'}
      write={write}
      cli={cli}
      topics={['customer', 'license', 'renewal', 'install', 'install-request']}
      marked={MARKED}
      fault={isWrong ? references : undefined}
      onClose={onClose}
    >
      {(faultOf) => (
        <>
          <Fields
            form={form}
            isNew={before === null}
            unsubscribed={before?.unsubscribedEmails ?? []}
            faultOf={faultOf}
            onChange={(over) => setForm({ ...form, ...over })}
          />
          <MetadataFields
            legend="References"
            hint="The customer’s IDs in your other systems, such as crm and 4711."
            rows={rows}
            onChange={setRows}
          />
        </>
      )}
    </FormDialog>
  );
}
