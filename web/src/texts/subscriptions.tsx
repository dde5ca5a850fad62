import type { ReactNode } from 'react';

/* Texts of the pages for subscriptions. */

export const thePlanOfTheLicence = (name: string) => `The plan of the licence: ${name}`;
export const setUp = 'Set up';
export const change = 'Change';
export const resume = 'Resume';
export const theSubscriptionOf = (words: string, name: string) =>
  `${words} the subscription of ${name}`;
export const save = 'Save';
export const createAPlanFirstItHas = 'Create a plan first: it has the price.';
export const tenureOffersTheNextPeriod =
  'Tenure offers the next period before the licence ends, and the user pays each offer.';
export const plan = 'Plan';
export const offerBeforeTheEnd = 'Offer before the end';
export const offersOfOnePeriod = 'Offers of one period';
export const theNumberOfOffersThatMay = 'The number of offers that may stay unpaid, from 1 to 10.';
export const endTheLicenceAfterTheLast =
  'End the licence after the last unpaid offer and the grace of the plan';
export const on = (fee: string, time: ReactNode) => (
  <>
    {fee} on {time}
  </>
);
export const paid = ', paid';
export const toBePaid = ', to be paid';
export const openOffer = 'Open offer';
export const nextOffer = 'Next offer';
export const thenValidUntil = 'Then valid until';
export const cancelled = 'Cancelled';
export const ends = 'Ends';
export const offeredBeforeTheEnd = 'Offered before the end';
export const afterTheLastUnpaidOffer = 'After the last unpaid offer';
export const theLicenceEnds = 'The licence ends';
export const theLicenceExpiresAndCanBe = 'The licence expires and can be renewed';
export const yourPermissionsDoNotInclude = 'Your permissions do not include “policy”.';
export const cancelSubscription = 'Cancel subscription';
export const cancelTheSubscriptionOf = (licenseName: string) =>
  `Cancel the subscription of ${licenseName}`;
export const theLicenceStaysValidUntilNo = (time: ReactNode) => (
  <>
    The licence stays valid until {time}. No further period is offered, and an open offer that is
    not paid is withdrawn. The provider can resume the subscription.
  </>
);
export const subscription = 'Subscription';
export const theLicenceDoesNotRenewItself =
  'The licence does not renew itself. You offer each renewal.';
export const licence = 'Licence';
export const licenceWithoutAReference = 'Licence without a reference';
export const customer = 'Customer';
export const provider = 'Provider';
export const state = 'State';
export const validUntil = 'Valid until';
export const subscriptions = 'Subscriptions';
export const theLicencesThatRenewThemselves =
  'The licences that renew themselves, with their next offers.';
export const noLicenceRenewsItself = 'No licence renews itself.';
export const setUpASubscriptionOnThe = 'Set up a subscription on the page of a licence.';
export const theProviderCanSetUpA = 'The provider can set up a subscription for a licence.';
export const toTheLicences = 'To the licences';
