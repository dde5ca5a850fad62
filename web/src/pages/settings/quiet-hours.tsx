import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { ownTimeZone } from '../../texts/intl.ts';
import * as t from '../../texts/policies.tsx';
import styles from './settings.module.css';

export interface QuietHours {
  readonly from: string;
  readonly to: string;
  readonly timeZone: string;
}

const ROWS_MAX = 16;

const newHours = (): QuietHours => ({
  from: '22:00',
  to: '06:00',
  timeZone: ownTimeZone(),
});

/** Returns quiet hours as one line of text. */
export const quietHoursLine = (hours: readonly QuietHours[]): string =>
  hours.map(({ from, to, timeZone }) => `${from}-${to}@${timeZone}`).join(' ');

interface QuietHoursFieldProps {
  readonly hours: readonly QuietHours[];
  readonly onChange: (hours: readonly QuietHours[]) => void;
  /** Returns what is wrong with a member of the row at an index. */
  readonly faultAt: (place: number, member: keyof QuietHours) => string | undefined;
}

/** A field for quiet hours: times of the day in which Tenure ends nothing. */
export function QuietHoursField({ hours, onChange, faultAt }: QuietHoursFieldProps) {
  return (
    <fieldset className={styles.group}>
      <legend>{t.quietHours}</legend>
      <div className={styles.hours}>
        <p className={styles.small}>{t.noLicenceIsEndedAutomatically}</p>
        {hours.map((row, at) => {
          const field = (member: keyof QuietHours, label: string) => (
            <TextField
              label={label}
              value={row[member]}
              fault={faultAt(at, member)}
              onChange={(value) => onChange(hours.with(at, { ...row, [member]: value.trim() }))}
            />
          );
          return (
            <div key={at} className={styles.hour}>
              {field('from', t.from)}
              {field('to', t.to)}
              {field('timeZone', t.timeZone)}
              <Button
                look="quiet"
                icon="cross"
                aria-label={t.removeTo(row.from, row.to)}
                onClick={() => onChange(hours.filter((_row, other) => other !== at))}
              />
            </div>
          );
        })}
        <div>
          <Button
            isSmall
            icon="plus"
            refused={hours.length >= ROWS_MAX ? t.sixteenIsTheMaximum : undefined}
            onClick={() => onChange([...hours, newHours()])}
          >
            {t.addQuietHours}
          </Button>
        </div>
      </div>
    </fieldset>
  );
}
