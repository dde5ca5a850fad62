import { readFileSync } from 'node:fs';
import { startLocalnet } from './localnet.mjs';
import { Walk } from './walk.mjs';

/*
 * Walks the official wallet SDK through LocalNet, twice: in the order of its documentation, and in another one. Its last
 * line says how many steps passed; the exit code is 1 unless all of them did.
 */

const AS_DOCUMENTED = [
  'connect',
  'externalParties',
  'internalParty',
  'listParties',
  'tap',
  'tapInternal',
  'offerAndAccept',
  'offerAndReject',
  'offerAndWithdraw',
  'history',
  'preapprove',
  'sendToPreapproved',
  'renewPreapproval',
  'cancelPreapproval',
  'allocateAndWithdraw',
  'allocateAndExecute',
  'signOffline',
  'mergeHoldings',
  'users',
  'traffic',
  'featuredApp',
  'events',
  'activeContracts',
];

/**
 * Preapproval and allocation come before any transfer; steps that check amounts keep their place among
 * transfers.
 */
const OTHERWISE = [
  'connect',
  'internalParty',
  'users',
  'tapInternal',
  'allocateAndExecute',
  'featuredApp',
  'externalParties',
  'traffic',
  'preapprove',
  'renewPreapproval',
  'cancelPreapproval',
  'tap',
  'allocateAndWithdraw',
  'offerAndAccept',
  'offerAndWithdraw',
  'offerAndReject',
  'events',
  'history',
  'activeContracts',
  'signOffline',
  'mergeHoldings',
  'listParties',
];

const STEP_MS = 60_000;

const timeOut = () =>
  new Promise((_resolve, reject) => {
    setTimeout(() => reject(new Error(`not done after ${STEP_MS} ms`)), STEP_MS).unref();
  });

async function walk(network, name, steps) {
  const walking = new Walk(network, name);
  let passed = 0;
  for (const step of steps) {
    const began = Date.now();
    try {
      await Promise.race([walking[step](), timeOut()]);
      passed += 1;
      console.log(`ok    ${name} ${step} ${Date.now() - began} ms`);
    } catch (error) {
      console.log(`FAIL  ${name} ${step}`, error);
    }
  }
  return passed;
}

const root = process.argv[2];
if (root === undefined) throw new Error('usage: node run.mjs <folder of the repository>');
const { version } = JSON.parse(
  readFileSync(new URL('node_modules/@canton-network/wallet-sdk/package.json', import.meta.url)),
);
const network = await startLocalnet(root);
let passed = 0;
try {
  passed += await walk(network, 'documented', AS_DOCUMENTED);
  passed += await walk(network, 'otherwise', OTHERWISE);
} finally {
  await network.stop();
}
const all = AS_DOCUMENTED.length + OTHERWISE.length;
console.log(`wallet SDK ${version}: ${passed} of ${all} steps passed`);
// The SDK continues to retry calls without a waiting caller.
process.exit(passed === all ? 0 : 1);
