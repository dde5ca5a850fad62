import type { Client } from 'pg';

/*
 * Generates the text of migrations/schema.ts from the database's catalogue. The text contains the TypeScript types of
 * the tables. The lists below say more about the contents of a column than its SQL type; their changes must be
 * reviewed.
 */

/**
 * The TypeScript type for each SQL type, after the store's `columnTypes` has converted the value. Columns of type
 * `json` are listed separately below.
 */
export const OF_SQL: Readonly<Record<string, string>> = {
  bigint: 'bigint',
  boolean: 'boolean',
  bytea: 'Buffer',
  'double precision': 'number',
  integer: 'number',
  numeric: 'string',
  text: 'string',
  'text[]': 'string[]',
  'timestamp with time zone': 'Instant',
  uuid: 'string',
};

/**
 * Columns whose values are more restricted than their SQL type, and the contents of JSON columns. The database decides
 * which columns are nullable.
 */
const OF_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  "'interface' | 'template'": ['template.payload_type'],
  "AttemptAnswer['verdict']": ['attempt.verdict'],
  AnswerClass: ['failure.class'],
  BulkAction: ['bulk_act.action'],
  "BulkAct['state'] | 'previewed'": ['bulk_act.state'],
  ChangeFilter: ['bulk_act.filter'],
  ChangeResult: ['change.result'],
  ChangeState: ['change.state', 'audit.from_state', 'audit.to_state', 'failure.state'],
  CircuitReason: ['circuit.reason'],
  DeliveryState: ['delivery.state'],
  DoubtDecision: ['bulk_act.decision'],
  "Exclude<FailureState, 'open'>": ['failure_decision.state'],
  ExpiryMode: ['expiry_policy.mode'],
  Json: ['exercise.argument', 'exercise.result', 'participant_answer.answer'],
  JsonRecord: [
    'audit.detail',
    'change.body',
    'change.fixed',
    'contract.payload',
    'event.data',
    'event_arrival.data',
    'history.detail',
    'license_record.sold',
    'lifecycle.context',
    'pending_policy.policy',
    'pending_policy.previous',
    'rebuild.report',
    'signing_key.public_key',
  ],
  'JsonRecord[]': ['arrival.events', 'event_batch.events'],
  KeptAnswer: ['kept_answer.answer'],
  LifecycleKind: ['lifecycle.kind'],
  "OpsScope['of']": ['bulk_act.scope'],
  PauseMode: ['pause.mode'],
  PauseScope: ['pause.scope'],
  PaymentState: ['payment.state'],
  OriginName: ['change.policy'],
  PolicyName: ['pending_policy.name'],
  ProblemCode: ['failure.code'],
  ProblemDetails: ['change.error', 'change.pending_refusal'],
  'QuietHours[]': ['expiry_policy.quiet_hours'],
  // Columns with milliseconds by synchronizer.
  'Readonly<Record<string, number>>': ['query_store_offset.clocks_apart'],
  PlanTerms: ['plan_version.terms'],
  // Columns with record times by synchronizer, and with IDs by the name of the external system.
  'Readonly<Record<string, string>>': [
    'customer.external_references',
    'query_store_offset.synchronizer_times',
    'query_store_offset.given_up',
  ],
  "Standstill['kind']": ['standstill.kind'],
  TimerKind: ['timer.kind'],
  Wait: ['alarm.kind', 'change.retrying_for'],
  WaitingFor: ['change.waiting_for'],
};

/** The modules that declare these types. Their paths are relative to src. */
const MODULES: Readonly<Record<string, readonly string[]>> = {
  'app/desk/bulk-acts.ts': ['BulkAct', 'BulkAction'],
  'app/desk/decide-doubt.ts': ['DoubtDecision'],
  'app/desk/failure-list.ts': ['FailureState'],
  'app/ports/books.ts': ['PaymentState'],
  'app/ports/kept-answers.ts': ['KeptAnswer'],
  'app/ports/ops-scope.ts': ['OpsScope'],
  'domain/answer.ts': ['AnswerClass'],
  'domain/automatic.ts': ['OriginName', 'PolicyName', 'TimerKind'],
  'domain/change-filter.ts': ['ChangeFilter'],
  'domain/change.ts': ['AttemptAnswer', 'ChangeResult', 'ChangeState', 'Wait', 'WaitingFor'],
  'domain/expiry-policy.ts': ['ExpiryMode', 'QuietHours'],
  'domain/json.ts': ['Json', 'JsonRecord'],
  'domain/lifecycle.ts': ['LifecycleKind'],
  'domain/participant-health.ts': ['CircuitReason', 'Standstill'],
  'domain/pause.ts': ['PauseMode', 'PauseScope'],
  'domain/plan.ts': ['PlanTerms'],
  'domain/problems.ts': ['ProblemCode', 'ProblemDetails'],
  'domain/webhook.ts': ['DeliveryState'],
};

const HEADING = `/*
 * The tables as queries see them, column by column as \`columnTypes\` reads them: \`int8\` is a bigint, a time is ISO
 * 8601 text with microseconds. Which row stands for what in the domain is said in \`rows/\`, once per table.
 *
 * Made by scripts/write-schema.ts from a freshly migrated database; a test fails when it does not match. Never edited:
 * what a column holds beyond its SQL type is said in scripts/schema-types.ts.
 */

/** ISO 8601 in UTC, with as many of six digits of fraction as it needs. */
type Instant = string;`;

const ROW = `/** What a select of a table's every column gives. */
export type Row<Table extends keyof Database> = Selectable<Database[Table]>;`;

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly filled: 'always' | 'by default' | 'no';
  readonly nullable: boolean;
}

const COLUMNS = `
  select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type,
         case when a.attgenerated <> '' or a.attidentity = 'a' then 'always'
              when a.atthasdef or a.attidentity = 'd' then 'by default' else 'no' end as filled,
         not a.attnotnull as nullable
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v')
  order by c.relname, a.attnum`;

function typeOf({ table, name, type, filled, nullable }: Column): string {
  const named = Object.entries(OF_COLUMNS).find(([, of]) => of.includes(`${table}.${name}`))?.[0];
  const base = named ?? OF_SQL[type];
  if (base === undefined) throw new Error(`${table}.${name} is ${type}: say in this file of what`);
  const whole = nullable ? `${base} | null` : base;
  if (filled === 'no') return whole;
  return `${filled === 'always' ? 'GeneratedAlways' : 'Generated'}<${whole}>`;
}

const nameOf = (table: string): string =>
  `${table.replaceAll(/(?:^|_)([a-z])/gu, (_, letter: string) => letter.toUpperCase())}Table`;

function importOf(module: string, names: readonly string[]): string {
  const line = `import type { ${names.join(', ')} } from '${module}';`;
  return line.length <= 100
    ? line
    : `import type {\n${names.map((name) => `  ${name},\n`).join('')}} from '${module}';`;
}

/**
 * Returns the text of migrations/schema.ts for a database that has just been migrated.
 *
 * @throws Error for a column whose type is unknown, and for an entry in this file about a column that does not exist
 */
export async function schemaTypes(database: Pick<Client, 'query'>): Promise<string> {
  const { rows } = await database.query<Column>(COLUMNS);
  const there = new Set(rows.map(({ table, name }) => `${table}.${name}`));
  const gone = Object.values(OF_COLUMNS).flatMap((of) => of.filter((column) => !there.has(column)));
  if (gone.length > 0) throw new Error(`there is no column ${gone.join(', ')}`);
  const tables = [...Map.groupBy(rows, ({ table }) => table)];
  const imports = Object.entries(MODULES).map(([file, names]) => importOf(`../src/${file}`, names));
  const interfaces = tables.map(([table, columns]) => {
    const lines = columns.map((column) => `  ${column.name}: ${typeOf(column)};\n`);
    return `interface ${nameOf(table)} {\n${lines.join('')}}`;
  });
  const list = tables.map(([table]) => `  ${table}: ${nameOf(table)};\n`).join('');
  return `${[
    [importOf('kysely', ['Generated', 'GeneratedAlways', 'Selectable']), ...imports].join('\n'),
    HEADING,
    ...interfaces,
    `export interface Database {\n${list}}`,
    ROW,
  ].join('\n\n')}\n`;
}
