import { startLocalnet } from '../../../kit/index.ts';
import { JsonLedger } from './json-ledger.ts';

/*
 * Starts a network, uses it, and closes it. Then prints the resources that are still open. A resource that is never
 * closed would also keep this process running.
 */

const localnet = await startLocalnet({ parties: { alice: 'app-user' } });
localnet.faults.add({ kind: 'delay', ms: 60_000, seconds: 600 });
localnet.faults.add({ kind: 'behind', where: { participant: 'sv' } });
localnet.faults.add({ kind: 'lose', where: { commandId: 'lost' }, seconds: 600 });
const alice = new JsonLedger(localnet, 'alice', 'app-user');
await alice.request(localnet.parties.alice);
await localnet.restore(await localnet.snapshot());
await alice.request(localnet.parties.alice);
await localnet.close();
await localnet.close();
// Resources that are being closed are gone after some turns of the event loop.
for (let turns = 0; turns < 3; turns += 1) await new Promise((done) => void setImmediate(done));
const left = process.getActiveResourcesInfo().filter((name) => name !== 'PipeWrap');
process.stdout.write(JSON.stringify({ left }));
