import { createHash } from 'node:crypto';

/* The login pages. They work without JavaScript, load nothing, and follow the browser's light or dark scheme. */

const STYLE = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#f3f4f8, #12141b);
  --card: light-dark(#ffffff, #1c1f29);
  --line: light-dark(#8a90a3, #6b7287);
  --text: light-dark(#1b1e28, #eceef4);
  --quiet: light-dark(#565c70, #a7adc0);
  --accent: light-dark(#3446c4, #a9b5ff);
  --on-accent: light-dark(#ffffff, #14172a);
  --alert: light-dark(#a3161f, #ffb3b5);
  --alert-ground: light-dark(#fdeced, #3a1c20);
}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; padding: 1.5rem; display: grid; place-items: center;
  background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif;
}
main {
  width: 100%; max-width: 25rem; padding: 2rem;
  background: var(--card); border-radius: 0.75rem;
  box-shadow: 0 1px 2px rgb(0 0 0 / 0.12), 0 8px 24px rgb(0 0 0 / 0.1);
}
h1 { margin: 0; font-size: 1.5rem; line-height: 1.25; }
p { margin: 0.5rem 0 0; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); font-size: 0.875rem; }
form, .choices { margin-top: 1.5rem; display: grid; gap: 1rem; }
label { display: grid; gap: 0.25rem; font-weight: 600; font-size: 0.875rem; }
input {
  width: 100%; padding: 0.6rem 0.75rem; font: inherit; font-weight: 400; font-size: 1rem;
  color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 0.4rem;
}
button {
  padding: 0.7rem 1rem; font: inherit; font-weight: 600; cursor: pointer;
  color: var(--on-accent); background: var(--accent); border: 1px solid var(--accent); border-radius: 0.4rem;
}
button.second { color: var(--accent); background: transparent; }
:is(input, button):focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
[role='alert'] {
  margin-top: 1rem; padding: 0.6rem 0.75rem; border-radius: 0.4rem;
  color: var(--alert); background: var(--alert-ground); font-size: 0.9rem;
}
footer { margin-top: 1.5rem; padding-top: 1rem; border-top: 1px solid color-mix(in srgb, var(--line) 35%, transparent); }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/**
 * Headers of every page. `form-action` permits any web origin, because browsers also apply it to every redirect after a
 * submission, and it is not known here where the application redirects later.
 */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    "script-src 'none'",
    "form-action 'self' http: https:",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

const page = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} · LocalNet</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${content}
</main>
</body>
</html>
`;

export interface SignInPage {
  readonly realmName: string;
  readonly clientId: string;
  /** The initial text of the first field: the client's hint, or the user's previous input. */
  readonly username: string;
  /** The signed-in user, who only has to enter the password; `undefined` for a full login. */
  readonly again: string | undefined;
  /** The error of the previous attempt. */
  readonly refusal?: string;
  /** The public demo names of the users who can sign in here. */
  readonly usernames: readonly string[];
  /** The public password of these users. */
  readonly demoPassword: string;
}

const focused = (isFocused: boolean): string => (isFocused ? ' autofocus' : '');

const nameField = (username: string, invalid: string): string => `<label>Username or email
<input name="username" type="text" value="${escapeHtml(username)}" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="255" required${focused(username === '')}${invalid}>
</label>`;

/**
 * Returns a hidden field with the user name. Without it, the browser's password store cannot assign the password to a
 * user.
 */
const knownName = (username: string): string =>
  `<input name="username" type="text" value="${escapeHtml(username)}" autocomplete="username" hidden readonly>`;

const OTHER = `<form method="post">
<button type="submit" class="second" name="other" value="yes">Use another account</button>
</form>`;

/**
 * Returns the login form, which is submitted to its own address. Clients that are written for the reference
 * application's server search the page for this wording.
 */
export function signInPage(options: SignInPage) {
  const { realmName, clientId, username, again, refusal, usernames, demoPassword } = options;
  const isRefused = refusal !== undefined;
  const invalid = isRefused ? ' aria-invalid="true" aria-describedby="refusal"' : '';
  return page(
    'Sign in',
    `<p class="quiet">to <strong>${escapeHtml(clientId)}</strong>, realm ${escapeHtml(realmName)}</p>
${again === undefined ? '' : `<p>Please re-authenticate to continue</p>\n<p class="quiet">You are signed in as <strong>${escapeHtml(again)}</strong>.</p>`}
${isRefused ? `<p id="refusal" role="alert">${escapeHtml(refusal)}</p>` : ''}
<form method="post">
${again === undefined ? nameField(username, invalid) : knownName(again)}
<label>Password
<input name="password" type="password" autocomplete="current-password" maxlength="255" required${focused(again !== undefined || username !== '')}${invalid}>
</label>
<button type="submit">Sign In</button>
</form>
${again === undefined ? '' : OTHER}
<footer>
<p class="quiet">This is a simulated network with public demo accounts: ${usernames.map((name) => `<strong>${escapeHtml(name)}</strong>`).join(', ')}. Their password is <strong>${escapeHtml(demoPassword)}</strong>. Never type a password of your own here.</p>
</footer>`,
  );
}

/** Returns a page that asks whether to sign out. `form` is the hidden form that the login library provides. */
export const signOutPage = (form: string): string =>
  page(
    'Sign out?',
    `<p>You are signed in at this realm of LocalNet.</p>
${form}
<div class="choices">
<button type="submit" form="op.logoutForm" name="logout" value="yes" autofocus>Sign out</button>
<button type="submit" form="op.logoutForm" class="second">Stay signed in</button>
</div>`,
  );

/** Returns a page that consists of a message. */
export const messagePage = (title: string, message: string): string =>
  page(title, `<p>${escapeHtml(message)}</p>`);
