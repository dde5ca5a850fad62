import type { CommandInspectionServiceImplementation } from '../../../proto/gen/com/daml/ledger/api/v2/admin/command_inspection_service.ts';
import { isLedgerString } from '../../ledger/lf-values.ts';
import { invalidField } from '../../ledger/submission-checks.ts';
import type { Call } from '../call.ts';
import type { CommandProgress } from '../command-progress.ts';

export const commandInspectionService = (
  progress: CommandProgress,
): CommandInspectionServiceImplementation<Call> => ({
  async getCommandStatus({ commandIdPrefix, state, limit }, { access }) {
    access.requireAdmin();
    if (commandIdPrefix !== '' && !isLedgerString(commandIdPrefix)) {
      throw invalidField('command_id_prefix', 'non expected character in a ledger string');
    }
    return { commandStatus: progress.find(commandIdPrefix, state, limit) };
  },
});
