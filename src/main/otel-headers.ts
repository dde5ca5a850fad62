import type { Environment } from './environment.ts';

/** A collector that accepts OTLP over HTTP. */
export interface TracesConfig {
  /** The collector's URL without a trailing slash, and without `/v1/traces`. */
  readonly endpoint: string;
  /** Headers that are sent with every export; they may contain a secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** The share of traces that are recorded among those that begin here. */
  readonly ratio: number;
}

/** Parses headers in OpenTelemetry's format: `name=value`, comma separated, with percent-encoded values. */
function headersIn(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split(',').flatMap((pair) => {
      const at = pair.indexOf('=');
      return at < 1 ? [] : [[pair.slice(0, at).trim(), decodeText(pair.slice(at + 1).trim())]];
    }),
  );
}

/** Decodes percent-encoded text. Text that is not validly encoded is returned unchanged. */
function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function tracesOf(env: Environment): TracesConfig | null {
  if (env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return null;
  return {
    endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/u, ''),
    headers: headersIn(env.OTEL_EXPORTER_OTLP_HEADERS ?? ''),
    serviceName: env.OTEL_SERVICE_NAME,
    ratio: env.OTEL_TRACES_SAMPLER_ARG,
  };
}
