// Asks for the renewal of all licences that expire soon. Run it once a day, and again at any time: a second run asks for
// no renewal twice, because the command ID follows from the licence and its end.
import { createClient, ProblemError } from 'tenure-client';

const { TENURE_API_URL: url, TENURE_TOKEN: token, PLAN: planId, WITHIN = 'P14D' } = process.env;
if (!url || !token || !planId)
  throw new Error('TENURE_API_URL, TENURE_TOKEN and PLAN are required');

const tenure = createClient({ url, token });

/** Letters, digits, # : - _ / and space are allowed. */
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
    // An open renewal, for example, or a refusal of the ledger. The job continues with the other licences.
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
