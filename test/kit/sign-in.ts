import type { Browser } from './browser.ts';

/** Returns the address to which the form of the page is submitted. */
const formAction = (html: string, at: string): string => {
  const [, action = ''] = /<form[^>]*action="([^"]*)"/u.exec(html) ?? [];
  return new URL(action.replaceAll('&amp;', '&'), at).href;
};

/**
 * Signs in on LocalNet's login page, and returns to Tenure.
 * @param base the address of the API
 * @param login the name of the registration
 * @param meanwhile runs while the login page is open
 * @throws Error if the redirect does not return to Tenure
 */
export async function signIn(
  browser: Browser,
  base: string,
  login: string,
  username: string,
  meanwhile?: () => Promise<void>,
): Promise<void> {
  const page = await browser.visit(`${base}/oauth2/authorization/${login}`);
  if (!page.text.includes('name="password"')) throw new Error(`no login page: ${page.text}`);
  await meanwhile?.();
  const sent = await browser.submit(formAction(page.text, page.url), {
    username,
    password: 'abc123',
  });
  let at = sent.location ?? '';
  while (!at.startsWith(base)) at = (await browser.get(at)).location ?? base;
  const back = await browser.get(at);
  if (back.status !== 302 || back.location !== `${base}/`)
    throw new Error(`the login led to ${back.status} ${back.location}`);
}
