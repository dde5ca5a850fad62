/** Named numbers that are not limits, because they follow from a type, a protocol or a format. */
export const FACTS: Readonly<Record<string, readonly string[]>> = {
  'src/app/desk/failures.ts': ['FINGERPRINT_CHARS'],
  'src/app/licensing/renewal/template.ts': ['MICROS_PER_DAY'],
  'src/domain/automatic.ts': ['ALLOCATION_CHARS'],
  'src/domain/backoff.ts': ['UPPER_HALF'],
  'src/domain/expiry-policy.ts': ['DAY_MINUTES'],
  'src/domain/license-key.ts': ['RANDOM_BYTES'],
  'src/domain/renewal.ts': ['SCALE', 'WHOLE_DIGITS_MAX'],
  'src/domain/time.ts': ['SECOND_MS'],
  'src/http/kit/admission.ts': ['WEIGHT'],
  'src/http/kit/cursor.ts': ['INT64_MAX'],
  'src/http/kit/security-headers.ts': ['YEAR_S'],
  'src/http/routes/events/event-query.ts': ['INT64_MAX'],
  'src/ledger/encode.ts': ['NUMERIC_DIGITS_MAX'],
  'src/ledger/instants.ts': [
    'MICROS_PER_SECOND',
    'MS_PER_DAY',
    'MICROS_MIN',
    'MICROS_MAX',
    'DAYS_MIN',
    'DAYS_MAX',
  ],
  'src/queue/postgres-schema.ts': ['LOCK_KEY'],
  'src/store/sql/channels.ts': ['PAYLOAD_BYTES_MAX'],
  'src/store/sql/column-types.ts': [
    'INT8',
    'INT8_ARRAY',
    'DATE',
    'TIMESTAMP',
    'TIMESTAMPTZ',
    'TIMESTAMPTZ_ARRAY',
    'TEXT_ARRAY',
  ],
  'src/store/sql/database-url.ts': ['PORT'],
  'src/store/sql/life.ts': ['LOCK_KEY'],
  'src/store/sql/migrate.ts': ['SERVER_VERSION_MIN', 'LOCK_KEY'],
  'src/store/sql/timelines.ts': ['FIRST_TIMELINE'],
};

const NUMBER = /^(?:export )?const ([A-Z][A-Z0-9_]*)(?:: \w+)? = [\d_ */+.nx(\-)a-f]+;/gmu;

/** Returns the numbers that a file in `src` names outside of the limits of its area, as `file: NAME`. */
export const strayBounds = (file: string, source: string): readonly string[] =>
  !file.startsWith('src/') || file.endsWith('/limits.ts')
    ? []
    : [...source.matchAll(NUMBER)].flatMap(([, name = '']) =>
        FACTS[file]?.includes(name) === true ? [] : `${file}: ${name}`,
      );
