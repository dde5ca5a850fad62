/** Returns the address of the stream and its caller's token, which the program's argument contains. */
export const told = (): { readonly url: string; readonly token: string } =>
  JSON.parse(process.argv[2] ?? '{}') as { readonly url: string; readonly token: string };

/** Prints one line of JSON for each item that the client has received. */
export const tell = (what: object): void => console.log(JSON.stringify(what));
