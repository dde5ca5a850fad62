import { readFileSync } from 'node:fs';
import { startLocalnet } from './localnet.mjs';
import { Walk } from './walk.mjs';

/*
 * Makes the calls of the official wallet SDK's documentation on LocalNet, twice: in the order of the documentation, and
 * in another order. The last line of output says how many steps passed. The exit code is 1 unless all of them did.
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
 * The other order: preapproval and allocation come before any transfer. Steps that check amounts keep their places
 * among the transfers.
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
// The SDK retries calls for which no caller waits any more, so the process is ended explicitly.
process.exit(passed === all ? 0 : 1);
