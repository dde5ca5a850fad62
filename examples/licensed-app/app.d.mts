interface MayRun {
  readonly runs: boolean;
  readonly code: string;
}
export function licensedApp(options: {
  readonly api: string;
  readonly key: string;
  readonly machine: string;
}): {
  install(name: string): Promise<{ readonly code: string }>;
  remove(): Promise<null>;
  beat(): Promise<{ readonly code: string }>;
  mayRun(entitlement: string): Promise<MayRun>;
  mayRunOffline(
    file: string,
    jwks: { readonly keys: readonly object[] },
    entitlement: string,
    nowS?: number,
  ): MayRun;
};
