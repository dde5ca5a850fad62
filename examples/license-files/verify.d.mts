export interface Claims {
  readonly iat: number;
  readonly exp: number;
  readonly [name: string]: unknown;
}
export function verifyFile(
  file: string,
  jwks: { readonly keys: readonly object[] },
  options?: { readonly machine?: string | null | undefined; readonly nowS?: number },
): Claims;
