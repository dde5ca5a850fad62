import type { LinkProps } from '@tanstack/react-router';
import { Link } from '@tanstack/react-router';
import { buttonClass } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Section } from '../../parts/page.tsx';
import * as t from '../../texts/overview.ts';
import styles from './overview.module.css';

interface Step {
  readonly name: string;
  readonly text: string;
  readonly isDone: boolean;
  readonly verb: string;
  readonly to: Pick<LinkProps, 'to' | 'search'>;
}

/** The first steps, in order. The first open step has a highlighted button. */
export function FirstSteps({ of }: { readonly of: readonly Step[] }) {
  const next = of.find(({ isDone }) => !isDone);
  return (
    <Section title={t.firstSteps} isCard>
      <ol className={styles.steps}>
        {of.map((step) => (
          <li key={step.name} className={styles.step} data-done={step.isDone}>
            <Icon name={step.isDone ? 'check' : 'ring'} />
            <div className={styles.stepText}>
              <strong>
                {step.name}
                {step.isDone ? ' (done)' : ''}
              </strong>
              <span>{step.text}</span>
            </div>
            {step.isDone ? null : (
              <Link {...step.to} className={buttonClass(step === next ? 'primary' : 'plain')}>
                {step.verb}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </Section>
  );
}
