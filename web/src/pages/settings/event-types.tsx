import { Check } from '../../parts/field.tsx';
import styles from './settings.module.css';

/** The event types of a webhook and their names: those of src/domain/event.ts without the acts of the audit log. */
const GROUPS = [
  [
    'Operations',
    'tenure.operation.',
    [
      ['accepted', 'Accepted'],
      ['submitting', 'Being submitted'],
      ['retrying', 'Tried again'],
      ['in-doubt', 'In doubt'],
      ['succeeded', 'Succeeded'],
      ['rejected', 'Rejected'],
      ['failed', 'Failed'],
      ['cancelled', 'Cancelled'],
    ],
  ],
  [
    'Lifecycles',
    'tenure.lifecycle.',
    [
      ['began', 'Began'],
      ['changed', 'Changed'],
      ['ended', 'Ended'],
    ],
  ],
  [
    'Licences',
    'tenure.license.',
    [
      ['suspended', 'Suspended'],
      ['reinstated', 'Reinstated'],
      ['expiring', 'About to end'],
      ['expired', 'Expired'],
      ['renewal-unpaid', 'Renewal not paid'],
    ],
  ],
  ['Comments', 'tenure.comment.', [['made', 'Made']]],
] as const;

/** Whether a type is among the chosen ones, by itself or by its pattern. */
const isMeant = (type: string, chosen: readonly string[]): boolean =>
  chosen.some((one) => (one.endsWith('*') ? type.startsWith(one.slice(0, -1)) : one === type));

const typesOf = (prefix: string, names: readonly (readonly [string, string])[]): string[] =>
  names.map(([name]) => prefix + name);

/** Returns the chosen types in as few patterns as possible; an empty list means all types. */
function packed(types: ReadonlySet<string>): readonly string[] {
  const found = GROUPS.flatMap(([, prefix, names]) => {
    const all = typesOf(prefix, names);
    const chosen = all.filter((type) => types.has(type));
    return chosen.length === all.length ? [`${prefix}*`] : chosen;
  });
  return found.length === GROUPS.length && found.every((one) => one.endsWith('*')) ? [] : found;
}

const unpacked = (chosen: readonly string[]): ReadonlySet<string> =>
  new Set(
    GROUPS.flatMap(([, prefix, names]) =>
      typesOf(prefix, names).filter((type) => chosen.length === 0 || isMeant(type, chosen)),
    ),
  );

/** The types as one line. */
export const typesLine = (types: readonly string[]): string =>
  types.length === 0 ? 'All events' : types.join(', ');

interface EventTypesProps {
  readonly types: readonly string[];
  readonly onChange: (types: readonly string[]) => void;
}

/** Chooses the event types of a webhook. All boxes mean all types, also those of later versions. */
export function EventTypes({ types, onChange }: EventTypesProps) {
  const chosen = unpacked(types);
  const set = (some: readonly string[], isOn: boolean): void => {
    const next = new Set(chosen);
    for (const type of some) {
      if (isOn) next.add(type);
      else next.delete(type);
    }
    // The last box stays: without any, the API would send all.
    if (next.size > 0) onChange(packed(next));
  };
  return (
    <div className={styles.types}>
      {GROUPS.map(([title, prefix, names]) => (
        <fieldset key={title} className={styles.group}>
          <legend>{title}</legend>
          <Check
            label={<strong>All</strong>}
            isChecked={typesOf(prefix, names).every((type) => chosen.has(type))}
            onChange={(isOn) => set(typesOf(prefix, names), isOn)}
          />
          {names.map(([name, words]) => (
            <Check
              key={name}
              label={words}
              isChecked={chosen.has(prefix + name)}
              onChange={(isOn) => set([prefix + name], isOn)}
            />
          ))}
        </fieldset>
      ))}
    </div>
  );
}
