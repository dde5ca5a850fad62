/** Returns the API's name of an option: `--time-zone <zone>` is `timeZone`. */
export const nameOf = (flags: string): string =>
  (/--([a-z-]+)/u.exec(flags)?.[1] ?? '').replaceAll(/-([a-z])/gu, (_, letter: string) =>
    letter.toUpperCase(),
  );

/** Returns the option for a name of the API: `timeZone` is `--time-zone`. */
export const flagOf = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`;
