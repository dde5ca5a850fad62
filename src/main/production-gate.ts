import type { Environment } from './environment.ts';

/** The settings that make a deployment easy to try and easy to break into. */
export function refusedInProduction(env: Environment): string[] {
  if (env.TENURE_ENVIRONMENT !== 'production') return [];
  const mistakes: string[] = [];
  if (env.TEST_MODE === 'on') {
    mistakes.push('TEST_MODE is on, which TENURE_ENVIRONMENT=production refuses');
  }
  if (env.AUTH_MODE === 'shared-secret') {
    mistakes.push('AUTH_MODE is shared-secret, which TENURE_ENVIRONMENT=production refuses');
  }
  return mistakes;
}
