// A program that Tenure licenses. It validates its licence and activates itself with a key, and can also work offline
// with a licence file.
import { verifyFile } from '../license-files/verify.mjs';

/** The codes with which the program may run. */
const RUNS = new Set(['VALID', 'TRIAL', 'IN_GRACE']);

/** @param {{ api: string, key: string, machine: string }} options */
export function licensedApp({ api, key, machine }) {
  const ask = async (verb, more = {}) => {
    const answer = await fetch(`${api}/licenses/${verb}`, {
      method: 'POST',
      headers: { authorization: `License ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ machine, ...more }),
    });
    if (!answer.ok) throw new Error(`Tenure answers ${answer.status}`);
    return answer.status === 204 ? null : answer.json();
  };
  return {
    /** Takes a seat. Call it when the program is installed. */
    install: (name) => ask('activate', { name }),
    /** Frees the seat. Call it when the program is removed. */
    remove: () => ask('release'),
    /** Keeps the seat. Call it regularly while the program runs. */
    beat: () => ask('heartbeat'),
    /** Returns whether the program may run and has the entitlement that it needs. Needs a network. */
    async mayRun(entitlement) {
      const { code } = await ask('validate', { entitlements: [entitlement] });
      return { runs: RUNS.has(code), code };
    },
    /**
     * Returns whether the program may run, without a network: from a licence file and the public keys that the program
     * was shipped with.
     */
    mayRunOffline(file, jwks, entitlement, nowS) {
      try {
        const { entitlements } = verifyFile(file, jwks, { machine, nowS });
        return { runs: entitlement in entitlements, code: 'FILE' };
      } catch (error) {
        return { runs: false, code: error.message };
      }
    },
  };
}
