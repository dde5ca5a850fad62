import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
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
  timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
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
      <legend>Quiet hours</legend>
      <div className={styles.hours}>
        <p className={styles.small}>
          No licence is ended automatically during quiet hours. If From is later than To, they
          extend past midnight. 24:00 is the end of the day.
        </p>
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
              {field('from', 'From')}
              {field('to', 'To')}
              {field('timeZone', 'Time zone')}
              <Button
                look="quiet"
                icon="cross"
                aria-label={`Remove ${row.from} to ${row.to}`}
                onClick={() => onChange(hours.filter((_row, other) => other !== at))}
              />
            </div>
          );
        })}
        <div>
          <Button
            isSmall
            icon="plus"
            refused={hours.length >= ROWS_MAX ? 'Sixteen is the maximum.' : undefined}
            onClick={() => onChange([...hours, newHours()])}
          >
            Add quiet hours
          </Button>
        </div>
      </div>
    </fieldset>
  );
}
