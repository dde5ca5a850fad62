import type { Command } from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type {
  Identifier,
  Record as LfRecord,
  Value,
} from '../../../proto/gen/com/daml/ledger/api/v2/value.ts';
import { int64, party, record, recordValue, textMap, timestamp } from './values.ts';

/* Commands on the licensing package as any client would send them: with package names and labels. */

export const LICENSING = '#quickstart-licensing';

const inModule = (module: string) => (entity: string) => ({
  packageId: LICENSING,
  moduleName: `Licensing.${module}`,
  entityName: entity,
});

export const REQUEST: Identifier = inModule('AppInstall')('AppInstallRequest');
export const INSTALL: Identifier = inModule('AppInstall')('AppInstall');
export const LICENSE: Identifier = inModule('License')('License');

/** Returns `Module:Entity` without the package, because events name the package by a hash, and commands by its name. */
export const templateName = (id: Identifier | undefined): string =>
  `${id?.moduleName}:${id?.entityName}`;

export const meta = (entries: Readonly<Record<string, string>> = {}): Value =>
  recordValue({ values: textMap(entries) });

export const create = (templateId: Identifier, createArguments: LfRecord): Command => ({
  command: { $case: 'create', value: { templateId, createArguments } },
});

export const exercise = (
  templateId: Identifier,
  cid: string,
  choice: string,
  choiceArgument: Value,
): Command => ({
  command: { $case: 'exercise', value: { templateId, contractId: cid, choice, choiceArgument } },
});

/** The two parties of a licence. */
export interface Sides {
  readonly user: string;
  readonly provider: string;
}

export const requestArguments = (
  { user, provider }: Sides,
  entries: Readonly<Record<string, string>> = {},
): LfRecord => record({ provider: party(provider), user: party(user), meta: meta(entries) });

/**
 * Creates a request, and exercises a choice on it in the same command. The user signs the request; the provider sees
 * it.
 */
export const createAndExercise = (
  createArguments: LfRecord,
  choice: string,
  choiceArgument = recordValue({ meta: meta() }),
): Command => ({
  command: {
    $case: 'createAndExercise',
    value: { templateId: REQUEST, createArguments, choice, choiceArgument },
  },
});

/** Creates a contract that is archived in the same transaction. */
export const createAndCancel = (sides: Sides): Command =>
  createAndExercise(requestArguments(sides), 'AppInstallRequest_Cancel');

export const createRequest = (
  sides: Sides,
  entries: Readonly<Record<string, string>> = {},
): Command => create(REQUEST, requestArguments(sides, entries));

/** Creates an install. The command needs the signatures of both parties. */
export const createInstall = ({ user, provider }: Sides, licensesCreated = 0n): Command =>
  create(
    INSTALL,
    record({
      provider: party(provider),
      user: party(user),
      meta: meta(),
      numLicensesCreated: int64(licensesCreated),
    }),
  );

/**
 * Creates a licence. The command needs the signatures of both parties.
 *
 * @param expiresAt microseconds since the epoch
 */
export const createLicenseContract = (
  { user, provider }: Sides,
  licenseNum: bigint,
  expiresAt: bigint,
): Command =>
  create(
    LICENSE,
    record({
      provider: party(provider),
      user: party(user),
      expiresAt: timestamp(expiresAt),
      licenseNum: int64(licenseNum),
      params: recordValue({ meta: meta() }),
    }),
  );

export const archive = (templateId: Identifier, cid: string): Command =>
  exercise(templateId, cid, 'Archive', recordValue({}));

/** Accepts a request. The provider exercises this choice. */
export const accept = (cid: string, entries: Readonly<Record<string, string>> = {}): Command =>
  exercise(
    REQUEST,
    cid,
    'AppInstallRequest_Accept',
    recordValue({ installMeta: meta(entries), meta: meta() }),
  );

/** Rejects a request. The provider exercises this choice. */
export const reject = (cid: string): Command =>
  exercise(REQUEST, cid, 'AppInstallRequest_Reject', recordValue({ meta: meta() }));

/** Creates a licence. The provider exercises this choice. */
export const createLicense = (installCid: string): Command =>
  exercise(
    INSTALL,
    installCid,
    'AppInstall_CreateLicense',
    recordValue({ params: recordValue({ meta: meta() }) }),
  );

/** Cancels an install. `actor` must be a signatory. */
export const cancelInstall = (installCid: string, actor: string): Command =>
  exercise(
    INSTALL,
    installCid,
    'AppInstall_Cancel',
    recordValue({ actor: party(actor), meta: meta() }),
  );

/** Ends a licence, which must have expired. `actor` must be a signatory. */
export const expire = (licenseCid: string, actor: string): Command =>
  exercise(
    LICENSE,
    licenseCid,
    'License_Expire',
    recordValue({ actor: party(actor), meta: meta() }),
  );
