import { describe, expect, test } from 'vitest';
import { hasChromium } from '../kit/chromium.ts';
import { forFile } from '../kit/for-file.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { isDone, onLedger, watchTries } from '../web/kit/acts.ts';
import { openApiDoor } from '../web/kit/api-door.ts';
import { settled, startWebWorld } from '../web/kit/people.ts';

describe.skipIf(!hasChromium)('more than one person may ask for in a minute', async () => {
  const PER_MINUTE = 60;
  const web = hasChromium ? await forFile(startWebWorld()) : null;
  const door =
    web === null
      ? null
      : await forFile(openApiDoor(web.world, { TENURE_RATE_LIMIT: String(PER_MINUTE) }));

  test('is answered with 429: the act waits for as long as it is told, and is done once', async () => {
    const { world } = web!;
    await using person = await web!.person('user', { origin: door!.origin });
    const before = await onLedger(world);
    const tries = watchTries(person.context);
    const page = await person.open('/requests');
    await page.getByRole('main').getByRole('button', { name: 'Request an installation' }).click();
    await page.evaluate<unknown>(
      `(async () => { while ((await fetch('/user')).status !== 429); })()`,
    );
    await page.getByRole('dialog').getByRole('button', { name: 'Ask', exact: true }).click();
    const waits = /The server takes no more requests for (\d+) s/u;
    const told = await page.getByRole('dialog').getByText(waits).textContent();
    const [first] = tries;
    expect(first).toMatchObject({ status: 429, retryAfterS: Number(waits.exec(told ?? '')?.[1]) });
    // A page that is opened during the wait shows for what it waits.
    const second = await person.context.newPage();
    await second.goto(`${door!.origin}/ui/installs`);
    await second.getByText(waits).waitFor();
    // The wait may take a whole minute, and the rest of the test needs time as well.
    await isDone(page, first!.retryAfterS! * 1_000 + PATIENCE_MS);
    expect(tries.map(({ status }) => status)).toEqual([429, 201]);
    expect(tries[1]!.commandId).toBe(first!.commandId);
    expect(tries[1]!.atMs - first!.atMs).toBeGreaterThanOrEqual(first!.retryAfterS! * 1_000);
    expect(await onLedger(world)).toBe(before + 1);
    await settled(second);
    expect(await second.locator('h1').textContent()).toBe('Installations');
  });
});
