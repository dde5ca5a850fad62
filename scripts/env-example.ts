import { writeFileSync } from 'node:fs';
import { Environment } from '../src/main/environment.ts';

interface Setting {
  readonly default?: string | number;
  readonly description?: string;
}

/** Returns the text of `.env.example`: every setting with its purpose, and with its default if there is one. */
export function envExample(): string {
  const lines = [
    '# Everything that Tenure reads from the environment. All of it has a default or is embedded.',
  ];
  for (const [name, setting] of Object.entries(Environment.properties)) {
    const { default: value, description } = setting as Setting;
    lines.push('', `# ${description ?? ''}`, `#${name}=${value ?? ''}`);
  }
  return `${lines.join('\n')}\n`;
}

if (import.meta.main) writeFileSync('.env.example', envExample());
