/* The calls that each generated client makes. They are the same for all clients, and their result is printed. */

export const RENEWAL = {
  licenseFeeCc: 100,
  licenseExtensionDuration: 'P30D',
  prepareUntilDuration: 'PT10M',
  settleBeforeDuration: 'PT20M',
  description: 'One more month',
};
export const COMMENT = { body: 'Said through a generated client.' };

export interface Place {
  readonly url: string;
  readonly token: string;
  readonly installId: string;
  /** Returns the command ID for a change in this walk. */
  readonly commandId: (name: string) => string;
}

interface Created {
  readonly licenseId?: string | null;
  readonly lifecycleId?: string | null;
}

export interface Client {
  readonly list: () => Promise<unknown>;
  readonly create: () => Promise<Created | undefined>;
  readonly renew: (contractId: string) => Promise<unknown>;
  readonly comment: (contractId: string) => Promise<unknown>;
  readonly expire: (contractId: string) => Promise<unknown>;
}

/** Lists, creates, renews, comments on and ends licences. Prints the ID of the licence and the length of the list. */
export async function walk(open: (place: Place) => Client): Promise<void> {
  const { name, ...place } = JSON.parse(process.argv[2] ?? '{}') as Place & {
    readonly name: string;
  };
  const client = open({ ...place, commandId: (step) => `${name}-${step}` });
  const created = await client.create();
  const id = created?.lifecycleId;
  if (typeof id !== 'string') throw new Error(`no licence: ${JSON.stringify(created)}`);
  const listed = (await client.list()) as readonly { readonly lifecycleId?: string }[];
  const isListed = listed.some(({ lifecycleId }) => lifecycleId === id);
  await client.renew(id);
  await client.comment(id);
  await client.expire(id);
  console.log(JSON.stringify({ id, isListed }));
}
