// Requests the renewal of all licences that expire soon. Run it once a day. It may be run more often: a second run
// requests no renewal twice, because the command ID is computed from the licence and its end.
import { createClient, ProblemError } from 'tenure-client';

const { TENURE_API_URL: url, TENURE_TOKEN: token, PLAN: planId, WITHIN = 'P14D' } = process.env;
if (!url || !token || !planId)
  throw new Error('TENURE_API_URL, TENURE_TOKEN and PLAN are required');

const tenure = createClient({ url, token });

/** Returns a command ID, which may contain letters, digits, # : - _ / and space. */
const commandIdOf = ({ lifecycleId, expiresAt }) =>
  `renewal-job:${lifecycleId}:${expiresAt.replaceAll(/[^\w:-]/g, '_')}`;

async function renew(license) {
  try {
    const { isRepeat } = await tenure.command('/licenses/{contractId}/renew', {
      commandId: commandIdOf(license),
      path: { contractId: license.lifecycleId },
      body: { planId },
    });
    return isRepeat ? 'asked before' : 'asked';
  } catch (error) {
    // For example, a renewal may be open already, or the ledger may refuse. The job continues with the other licences.
    if (error instanceof ProblemError && error.isFinal) return error.code;
    throw error;
  }
}

let failures = 0;
const query = { expiresBefore: WITHIN, limit: 100 };
for await (const license of tenure.list('/licenses', { query })) {
  const renewal = await renew(license);
  if (!renewal.startsWith('asked')) failures += 1;
  console.log(JSON.stringify({ licence: license.licenseNum, user: license.user, renewal }));
}
process.exitCode = failures === 0 ? 0 : 1;
