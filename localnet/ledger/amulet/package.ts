import { definePackage } from '../package-definition.ts';
import { AmuletAllocation } from './amulet-allocation.ts';
import { AmuletRules } from './amulet-rules.ts';
import { AmuletTransferInstruction } from './amulet-transfer-instruction.ts';
import { Amulet, LockedAmulet } from './amulet.ts';
import { FeaturedAppActivityMarker } from './app-rewards.ts';
import { ExternalPartyAmuletRules } from './external-party-amulet-rules.ts';
import {
  AppRewardCoupon,
  FeaturedAppRight,
  ValidatorRewardCoupon,
  ValidatorRight,
} from './rights.ts';
import { IssuingMiningRound, OpenMiningRound } from './round.ts';
import { TransferPreapproval } from './transfer-preapproval.ts';

/**
 * Stands for the published package of the network's native token. It contains only the few templates that payments
 * use.
 */
export const amuletPackage = definePackage({
  name: 'splice-amulet',
  version: '0.1.14',
  publishedId: '3ca1343ab26b453d38c8adb70dca5f1ead8440c42b59b68f070786955cbf9ec1',
  templates: [
    Amulet,
    LockedAmulet,
    AmuletRules,
    OpenMiningRound,
    ExternalPartyAmuletRules,
    AmuletAllocation,
    AmuletTransferInstruction,
    TransferPreapproval,
    ValidatorRight,
    FeaturedAppRight,
    FeaturedAppActivityMarker,
    AppRewardCoupon,
    ValidatorRewardCoupon,
    IssuingMiningRound,
  ],
});
