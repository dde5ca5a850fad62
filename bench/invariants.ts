import { checkAlways } from '../chaos/checks.ts';
import { rowsOf } from '../chaos/rows.ts';
import { examine } from '../src/main/doctor.ts';
import type { Finding } from '../src/main/doctor.ts';
import type { BenchWorld } from './world.ts';

/** SQL: the commands that have not created exactly one licence, each with the number of its licences. */
const NOT_ONCE = `
  select asked.id as "commandId", count(c.contract_id)::int as "licences"
  from unnest($1::text[]) as asked(id)
    left join ledger_update u on u.command_id = asked.id
    left join contract c on c.created_at_offset = u."offset" and c.template_fqn like '%:License'
  group by asked.id having count(c.contract_id) <> 1 limit 20`;

const MS_MAX = 120_000;

/**
 * Checks Tenure's promises after a run. Every command that was answered with 201 must have created one licence. The
 * doctor, which compares the store with the participants' records, must find that no invariant is violated.
 * @throws Error with the violations
 */
export async function checkInvariants(
  world: {
    readonly state: Pick<BenchWorld['state'], 'databaseUrl' | 'environment'>;
    readonly dataDir: string;
  },
  answered: readonly string[],
): Promise<void> {
  const { databaseUrl, environment } = world.state;
  const notOnce = await rowsOf(databaseUrl, NOT_ONCE, [answered]);
  const broken: unknown[] = [...notOnce, ...(await checkAlways(databaseUrl))];
  const redis = process.env['REDIS_URL'];
  const onFinding = (finding: Finding): void => {
    if (finding.violation !== undefined) broken.push(finding);
  };
  await examine({
    environment: {
      ...environment,
      TENURE_DATA_DIR: world.dataDir,
      TENURE_LOG_LEVEL: 'error',
      ...(redis === undefined ? {} : { REDIS_URL: redis }),
    },
    replay: true,
    deep: false,
    onFinding,
    onProgress: () => undefined,
    signal: AbortSignal.timeout(MS_MAX),
  });
  if (broken.length === 0) return;
  const plain = (_name: string, value: unknown): unknown =>
    typeof value === 'bigint' ? String(value) : value;
  throw new Error(`broken after the load: ${JSON.stringify(broken, plain, 2).slice(0, 4_000)}`);
}
