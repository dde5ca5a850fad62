import { Check } from '../../parts/field.tsx';
import styles from './settings.module.css';

/**
 * The event types that a webhook can receive, with their names. They are the types in src/domain/event.ts, except those
 * of the audit log.
 */
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
      ['price-changed', 'Price changes'],
    ],
  ],
  [
    'Alarms',
    'tenure.alarm.',
    [
      ['raised', 'An operation waits too long'],
      ['cleared', 'The operation goes on'],
    ],
  ],
  ['Comments', 'tenure.comment.', [['made', 'Made']]],
] as const;

/** Whether a type is chosen, by its own name or by a pattern. */
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

/** Returns the types as one line. */
export const typesLine = (types: readonly string[]): string =>
  types.length === 0 ? 'All events' : types.join(', ');

interface EventTypesProps {
  readonly types: readonly string[];
  readonly onChange: (types: readonly string[]) => void;
}

/**
 * The choice of a webhook's event types. If all boxes are checked, the webhook also receives types that later versions
 * add.
 */
export function EventTypes({ types, onChange }: EventTypesProps) {
  const chosen = unpacked(types);
  const set = (some: readonly string[], isOn: boolean): void => {
    const next = new Set(chosen);
    for (const type of some) {
      if (isOn) next.add(type);
      else next.delete(type);
    }
    // The last box stays checked, because the API would send all types if none were chosen.
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
