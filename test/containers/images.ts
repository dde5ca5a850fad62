import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/**
 * Returns the images of services in the compose file. The tests use them, so that they run with the same images as
 * deployments.
 */
export function imagesOf<Name extends string>(
  names: readonly Name[],
): Readonly<Record<Name, string>> {
  const { services } = parse(readFileSync('compose.yaml', 'utf8'), { merge: true }) as {
    readonly services: Readonly<Record<string, { readonly image: string } | undefined>>;
  };
  return Object.fromEntries(
    names.map((name) => {
      const image = services[name]?.image;
      if (image === undefined) throw new Error(`compose.yaml has no service ${name}`);
      return [name, image];
    }),
  ) as Record<Name, string>;
}
