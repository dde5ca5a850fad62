import { AppInstallsService, LicensesService, OpenAPI } from '../generated/codegen/index.ts';
import { COMMENT, RENEWAL, walk } from './walk.ts';

await walk(({ url, token, installId, commandId }) => {
  OpenAPI.BASE = url;
  OpenAPI.TOKEN = token;
  return {
    list: () => LicensesService.listLicenses(100),
    create: () => AppInstallsService.createLicense(installId, { params: {} }, commandId('create')),
    renew: (id) => LicensesService.renewLicense(id, RENEWAL, commandId('renew')),
    comment: (id) => LicensesService.addLicenseComment(id, COMMENT, commandId('comment')),
    expire: (id) => LicensesService.expireLicense(id, commandId('expire')),
  };
});
