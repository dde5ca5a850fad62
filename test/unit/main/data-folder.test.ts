import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { refuseForeignFolder } from '../../../embedded/data-folder.ts';

const ROOT = 0;
const SOMEBODY = 12_345;
let folder = '';
let owner = 0;

/** Creates a folder whose owner is known: the user that runs the test or, if this is root, another user. */
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenure-owner-'));
  owner = process.getuid?.() ?? SOMEBODY;
  if (owner !== ROOT) return;
  owner = SOMEBODY;
  await chown(folder, owner, owner);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the data folder of another user', () => {
  test('is refused to root, also while nothing is in it', async () => {
    const why = `the data folder ${folder} belongs to user ${owner}, and root would change its owner`;
    await expect(refuseForeignFolder(folder, ROOT)).rejects.toThrow(why);
    await writeFile(join(folder, 'state.json'), '{}');
    await expect(refuseForeignFolder(folder, ROOT)).rejects.toThrow(why);
  });

  test('is for its rights to keep from everybody else, and what is not there is nobody’s', async () => {
    await expect(refuseForeignFolder(folder, SOMEBODY)).resolves.toBeUndefined();
    const nowhere = join(folder, 'not', 'there');
    await expect(refuseForeignFolder(nowhere, ROOT)).resolves.toBeUndefined();
  });
});
