import type { PersonInDatabase } from '../../src/main/privacy.ts';
import { erasePersonalData, readPersonalData } from '../../src/main/privacy.ts';
import { databaseAddress } from '../database-address.ts';

/** The data that no command can erase. */
const LEDGER_KEEPS =
  'The ledger keeps parties, contracts, comments and free text that were submitted to it: Tenure cannot erase them from the ledger.';

interface PartyOption {
  readonly party?: string;
}

const personOf = async (subject: string, party: string | undefined): Promise<PersonInDatabase> => ({
  databaseUrl: await databaseAddress(),
  subject,
  party: party ?? null,
});

/** Prints the off-ledger data of a person as JSON. */
export async function exportData(subject: string, { party }: PartyOption): Promise<void> {
  const found = await readPersonalData(await personOf(subject, party));
  console.log(JSON.stringify({ subject, ...found, ledger: LEDGER_KEEPS }, null, 2));
}

/** Erases a person's data. Without `--yes`, only prints how much data there is. */
export async function erase(
  subject: string,
  { yes = false, party }: PartyOption & { readonly yes?: boolean },
): Promise<void> {
  const person = await personOf(subject, party);
  if (!yes) {
    const { people, sessions } = await readPersonalData(person);
    console.log(
      `The command will erase ${people.length} pseudonyms and ${sessions.length} sessions. To do so, add --yes.`,
    );
    console.log(LEDGER_KEEPS);
    return;
  }
  const erased = await erasePersonalData(person);
  console.log(`Erased ${erased.pseudonyms} pseudonyms and ended ${erased.sessions} sessions.`);
  console.log(
    `${erased.replaced} other rows have a pseudonym in place of the person. Free text stays, also in the audit log. ${erased.operations} open operations still name the person: repeat the command when they have ended.`,
  );
  console.log(LEDGER_KEEPS);
}
