import { Type } from 'typebox';

const ORIGIN = String.raw`https?://[a-z0-9._:\[\]-]+`;

/** Setting for browser applications of other origins that may call the API, as documented in `.env.example`. */
export const CORS_SETTINGS = {
  CORS_ORIGINS: Type.Optional(
    Type.String({
      pattern: `^${ORIGIN}(,${ORIGIN})*$`,
      must: 'be origins such as https://app.example.com, comma separated, each in full: no path, no * and no null',
      description:
        'Origins whose pages may call the API with a bearer token, such as https://app.example.com, comma separated; absent: none',
    }),
  ),
};

/** Returns the origins in the form in which browsers send them: without the default port of the scheme. */
export const corsOriginsOf = ({
  CORS_ORIGINS: origins = '',
}: {
  readonly CORS_ORIGINS?: string;
}): ReadonlySet<string> =>
  new Set(origins.split(',').flatMap((text) => URL.parse(text)?.origin ?? []));
