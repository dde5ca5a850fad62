/** The API's name of an option: `--time-zone <zone>` is `timeZone`. */
export const nameOf = (flags: string): string =>
  (/--([a-z-]+)/u.exec(flags)?.[1] ?? '').replaceAll(/-([a-z])/gu, (_, letter: string) =>
    letter.toUpperCase(),
  );

/** The option of a name of the API. */
export const flagOf = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`;
