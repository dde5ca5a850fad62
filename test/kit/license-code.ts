import * as code from '../../localnet/lf/build/code.ts';
import type { Code } from '../../localnet/lf/build/code.ts';
import type { ChoiceSource, LfSource } from '../../localnet/lf/build/package.ts';
import { con } from '../../localnet/lf/build/types.ts';
import type { Type } from '../../localnet/lf/build/types.ts';
import { inChoice, inTemplate } from './licensing-build.ts';
import type { Change } from './licensing-build.ts';

/*
 * Compiled code of the licensing contracts, as a compiler would write it: the choices that end an install, and that
 * renew and end a licence, and the signatories of renewals, payment requests and comments. The code that completes a
 * renewal is absent.
 */

const [INSTALL_MODULE, LICENSE_MODULE] = ['Licensing.AppInstall', 'Licensing.License'];
const COMMENT_MODULE = 'Licensing.LicenseComment';
const License = con(`${LICENSE_MODULE}:License`);
const Renewal = con(`${LICENSE_MODULE}:LicenseRenewalRequest`);
const Payment = con(`${LICENSE_MODULE}:AppPaymentRequest`);
const here = code.variable('this');
const argument = code.variable('argument');
const nothing = code.pure(code.unitValue);

const check = (fails: Code, failure: Code, otherwise: Code): Code =>
  code.match(fails, [code.patterns.true, failure], [code.patterns.false, otherwise]);

const failing = (id: string, text: Code, metadata: Code = code.call('TEXTMAP_EMPTY')): Code =>
  code.call('FAIL_WITH_STATUS', code.text(id), code.category(1), text, metadata);

const unmet = (requirement: string): Code =>
  failing(
    'UNHANDLED_EXCEPTION/DA.Exception.AssertionFailed:AssertionFailed',
    code.text(`The requirement '${requirement}' was not met.`),
  );

function deadlineFailure(outcome: string, relation: string, name: string, deadline: Code): Code {
  const at = code.call('TIMESTAMP_TO_TEXT', deadline);
  const why = code.text(`Ledger time is ${relation} deadline '${name}' at `);
  const metadata = code.call(
    'TEXTMAP_INSERT',
    code.text('deadline'),
    at,
    code.call('TEXTMAP_EMPTY'),
  );
  return failing(
    `stdlib.daml.com/deadline-${outcome}`,
    code.call('APPEND_TEXT', why, at),
    metadata,
  );
}

const exceeded = (name: string, deadline: Code, then: Code): Code =>
  code.block(
    { isEarly: code.isBefore(deadline) },
    check(
      code.variable('isEarly'),
      deadlineFailure('not-exceeded', 'strictly before', name, deadline),
      then,
    ),
  );

const within = (name: string, deadline: Code, then: Code): Code =>
  code.block(
    { isInTime: code.isBefore(deadline) },
    code.match(
      code.variable('isInTime'),
      [code.patterns.true, then],
      [code.patterns.false, deadlineFailure('exceeded', 'at or past', name, deadline)],
    ),
  );

/** Code that lets either of the two signatories exercise the choice. */
const bySignatory = (template: Type, choice: Type, then: Code): Partial<ChoiceSource> => {
  const actor = code.project(choice, 'actor', argument);
  const isNot = (party: string, otherwise: Code) =>
    code.match(
      code.call('EQUAL', actor, code.project(template, party, here)),
      [code.patterns.true, then],
      [code.patterns.false, otherwise],
    );
  return {
    controllers: code.cons([actor]),
    observers: code.nil,
    update: isNot('provider', isNot('user', unmet('Actor is a signatory'))),
  };
};

function renewing(source: LfSource): Partial<ChoiceSource> {
  const Renew = con(`${LICENSE_MODULE}:License_Renew`);
  const Instrument =
    source.modules[LICENSE_MODULE]!.data!['License_Renew']!.record!['licenseFeeInstrumentId']!;
  const term = (name: string) => code.project(Renew, name, argument);
  const own = (name: string) => code.project(License, name, here);
  const terms = (...names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, term(name)]));
  const sides = { provider: own('provider'), user: own('user'), licenseNum: own('licenseNum') };
  const renewal = code.record(Renewal, {
    ...terms('requestId'),
    ...sides,
    ...terms('licenseFeeAmount', 'licenseFeeInstrumentId', 'licenseExtensionDuration'),
    ...terms('prepareUntil', 'settleBefore', 'requestedAt', 'description'),
  });
  const { licenseNum, ...parties } = sides;
  const payment = code.record(Payment, {
    ...parties,
    dso: code.project(Instrument, 'admin', term('licenseFeeInstrumentId')),
    requestId: term('requestId'),
    licenseNum,
    amount: term('licenseFeeAmount'),
    instrumentId: term('licenseFeeInstrumentId'),
    description: term('description'),
    expiresAt: term('settleBefore'),
  });
  const created = code.block(
    { renewal: code.create(Renewal, renewal), payment: code.create(Payment, payment) },
    code.pure(code.variable('renewal')),
  );
  const ordered = check(
    code.call('GREATER_EQ', term('prepareUntil'), term('settleBefore')),
    unmet('prepareUntil < settleBefore'),
    created,
  );
  return {
    controllers: code.cons([own('provider')]),
    observers: code.nil,
    update: exceeded(
      'requestedAt',
      term('requestedAt'),
      within('prepareUntil', term('prepareUntil'), ordered),
    ),
  };
}

const withChoice = (module: string, template: string, name: string, of: Partial<ChoiceSource>) =>
  inChoice(module, template, name, (choice) => ({ ...choice, ...of }));

const signedBy = (
  module: string,
  name: string,
  signs: readonly string[],
  sees: readonly string[],
) => {
  const parties = (names: readonly string[]) =>
    code.cons(names.map((each) => code.project(con(`${module}:${name}`), each, here)));
  return inTemplate(module, name, (template) => ({
    ...template,
    signatories: parties(signs),
    observers: parties(sees),
  }));
};

export const withLicenseCode: Change = (source) => {
  const Cancel = con(`${INSTALL_MODULE}:AppInstall_Cancel`);
  const Expire = con(`${LICENSE_MODULE}:License_Expire`);
  const expiry = exceeded('expiresAt', code.project(License, 'expiresAt', here), nothing);
  const cancelling = bySignatory(con(`${INSTALL_MODULE}:AppInstall`), Cancel, nothing);
  const both = ['provider', 'user'];
  return [
    withChoice(INSTALL_MODULE, 'AppInstall', 'AppInstall_Cancel', cancelling),
    withChoice(LICENSE_MODULE, 'License', 'License_Expire', bySignatory(License, Expire, expiry)),
    withChoice(LICENSE_MODULE, 'License', 'License_Renew', renewing(source)),
    signedBy(LICENSE_MODULE, 'LicenseRenewalRequest', both, []),
    signedBy(LICENSE_MODULE, 'AppPaymentRequest', both, []),
    signedBy(COMMENT_MODULE, 'LicenseComment', ['commenter'], both),
  ].reduce((changed, change) => change(changed), source);
};
