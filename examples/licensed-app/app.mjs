// A program that is licensed by Tenure: it validates and activates with a key, and works offline with a file.
import { verifyFile } from '../license-files/verify.mjs';

/** Codes with which the program runs. */
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
    /** Takes a seat when the program is installed. */
    install: (name) => ask('activate', { name }),
    /** Frees the seat when the program is removed. */
    remove: () => ask('release'),
    /** Keeps the seat while the program runs. */
    beat: () => ask('heartbeat'),
    /** Whether the program may run, online, with an entitlement that it needs. */
    async mayRun(entitlement) {
      const { code } = await ask('validate', { entitlements: [entitlement] });
      return { runs: RUNS.has(code), code };
    },
    /** Whether the program may run without a network, by a file that it has and the keys that it was shipped with. */
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
