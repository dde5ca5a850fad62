import type { Answer } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { Check } from '../../parts/field.tsx';
import { PolicyForm } from './policy-form.tsx';
import type { Words } from './policy-form.tsx';
import { usePolicy } from './use-policy.ts';

type Policy = components['schemas']['RenewalPolicy'];

const URL = '/policies/renewal';

const WORDS: Words<Policy> = [
  ['complete', 'Complete paid renewals'],
  ['withdrawLapsed', 'Withdraw expired renewals'],
];

/** The form of the policy for renewals. */
export function RenewalForm({ read }: { readonly read: Answer<Policy> }) {
  const edit = usePolicy(URL, read);
  const { form, set } = edit;
  return (
    <PolicyForm
      url={URL}
      cli={`tenure policy set renewal --complete ${form.complete} --withdraw-lapsed ${form.withdrawLapsed}`}
      form={form}
      words={WORDS}
      others={edit.others}
      state={edit.state}
      isChanged={edit.isChanged}
      mistake={null}
      onSave={edit.save}
      onReload={edit.reload}
      onKeep={edit.keepMine}
      preview={edit.preview}
      onConfirm={edit.confirm}
      onCancel={edit.cancel}
    >
      <Check
        label="Complete a renewal when the fee is paid exactly as requested"
        isChecked={form.complete}
        onChange={(complete) => set({ complete })}
      />
      <Check
        label="Withdraw a renewal that was not paid before its deadline"
        isChecked={form.withdrawLapsed}
        onChange={(withdrawLapsed) => set({ withdrawLapsed })}
      />
    </PolicyForm>
  );
}
