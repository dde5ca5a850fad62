import * as code from '../../localnet/lf/build/code.ts';
import type { ChoiceSource, LfSource } from '../../localnet/lf/build/package.ts';
import { con, contractId } from '../../localnet/lf/build/types.ts';

/*
 * Adds the choice `AppInstall_SetMeta` to a licensing model, as a compiler would produce it from the Daml in this
 * folder's README.
 */

const MODULE = 'Licensing.AppInstall';
const TEMPLATE = 'AppInstall';
const CHOICE = 'AppInstall_SetMeta';
const Install = con(`${MODULE}:${TEMPLATE}`);

const here = code.variable('this');
const meta = code.project(con(`${MODULE}:${CHOICE}`), 'meta', code.variable('argument'));

/** Returns the model with the added choice. */
export function withSetMeta(source: LfSource): LfSource {
  const module = source.modules[MODULE];
  const template = module?.templates?.[TEMPLATE];
  const type = template?.fields['meta'];
  if (template === undefined || type === undefined) throw new TypeError(`no ${TEMPLATE} with meta`);
  const choice: ChoiceSource = {
    fields: { meta: type },
    result: contractId(Install),
    controllers: code.cons([code.project(Install, 'provider', here)]),
    observers: code.nil,
    update: code.create(Install, code.recordUpdate(Install, 'meta', here, meta)),
  };
  const changed = { ...template, choices: { ...template.choices, [CHOICE]: choice } };
  const templates = { ...module?.templates, [TEMPLATE]: changed };
  return { ...source, modules: { ...source.modules, [MODULE]: { ...module, templates } } };
}
