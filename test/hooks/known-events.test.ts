// Every name of an event that a provider publishes, or that was found in public receivers and types, and what its mapping
// does with it: none is unknown, and what sells nothing is ignored.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import { extractEvent } from '../../src/domain/hooks/mapping/event.ts';
import { mappingOf, readMappings } from '../../src/domain/hooks/mapping/read-mappings.ts';

const mappings = readMappings(join(packageRoot, 'schemas', 'v1', 'mappings'));

const actionOf = (provider: string, body: object): string | null =>
  extractEvent(mappingOf(mappings, provider), body).entry?.action ?? null;

/** By provider, with the body of an event of this name: the names by their action. */
const NAMES: readonly (readonly [string, (name: string) => object, Readonly<Record<string, string>>])[] = [
  [
    'square',
    (type) => ({ type }),
    {
      upsert: 'booking.created booking.updated',
      refresh: 'catalog.version.updated',
      ignore: `booking.custom_attribute.visible.updated booking.custom_attribute_definition.owned.created customer.created
        inventory.count.updated location.updated order.updated payment.updated team_member.created`,
    },
  ],
  [
    'toast',
    (eventType) => ({ eventType }),
    {
      refresh: 'menus_updated',
      ignore: `in_stock low_quantity out_of_stock order_updated orders_updated channel_order_updated guest_order_status
        guest_order_status_updated partner_added partner_removed partner_updated availability_online availability_offline
        ordering_schedule_updated packaging_updated`,
    },
  ],
  [
    'mindbody',
    (eventId) => ({ eventId }),
    {
      upsert: 'class.updated classRosterBooking.created classDescription.updated',
      cancel: 'classRosterBooking.cancelled',
      refresh: `classSchedule.created classSchedule.updated classSchedule.cancelled appointmentBooking.created
        appointmentBooking.updated appointmentBooking.cancelled siteBusinessDayClosure.created
        siteBusinessDayClosure.cancelled`,
      ignore: `site.updated location.created appointmentAddOn.created appointmentAddOn.deleted
        classRosterBookingStatus.updated classWaitlistRequest.created client.created clientArrival.created
        clientContract.created clientMembershipAssignment.created clientProfileMerger.created clientSale.created
        staff.updated`,
    },
  ],
  [
    'cloudbeds',
    (event) => ({ event }),
    {
      refresh: `reservation/created reservation/status_changed reservation/dates_changed reservation/deleted
        reservation/accommodation_changed reservation/accommodation_type_changed roomblock/created
        roomblock/details_changed`,
      ignore: `reservation/accommodation_status_changed reservation/notes_changed reservation/custom_fields_changed
        guest/created guest/assigned guest/removed guest/details_changed housekeeping/room_condition_changed
        housekeeping/housekeeping_room_occupancy_status_changed transaction/created integration/appstate_changed
        integration/appsettings_changed`,
    },
  ],
  [
    'xola',
    (eventName) => ({ eventName }),
    {
      upsert: `order.create order.update purchase.create purchase.update experience.create experience.update`,
      cancel: 'order.cancel purchase.cancel experience.delete',
      ignore: `user.update user.agent.create user.agent.update user.agent.remove store_credit.update
        installation.create`,
    },
  ],
  [
    'eventbrite',
    (action) => ({ config: { action } }),
    {
      refresh: `event.created event.published event.updated event.unpublished order.placed order.refunded order.updated
        ticket_class.created ticket_class.updated ticket_class.deleted`,
      ignore: `attendee.checked_in attendee.checked_out attendee.updated organizer.updated venue.updated test`,
    },
  ],
  [
    'foreup',
    (event) => ({ event }),
    { refresh: 'teetime.updated teetime.deleted', ignore: 'sale.created customer.updated' },
  ],
  [
    'mews',
    (Action) => ({ Action }),
    {
      ignore: `IntegrationCreated IntegrationEnabled IntegrationDisabled IntegrationCanceled IntegrationReinstated
        IntegrationDeleted IntegrationApiKeyCreated`,
    },
  ],
  [
    'rezdy',
    (status) => ({ orderNumber: 'R1', status }),
    {
      upsert: 'CONFIRMED',
      cancel: 'CANCELLED',
      ignore: 'PROCESSING NEW ON_HOLD PENDING_SUPPLIER PENDING_CUSTOMER ABANDONED_CART',
    },
  ],
  [
    'ventrata',
    (status) => ({ webhook: { event: 'booking_update' }, booking: { uuid: 'b', status } }),
    {
      upsert: 'ON_HOLD CONFIRMED PENDING REDEEMED NOSHOW UPGRADED',
      cancel: 'CANCELLED EXPIRED REJECTED',
    },
  ],
  [
    'peek',
    (status) => ({ webhook: { event: 'booking_update' }, booking: { uuid: 'b', status } }),
    { upsert: 'ON_HOLD CONFIRMED', cancel: 'CANCELLED EXPIRED' },
  ],
  [
    'tock',
    (variety) => ({ experience: { id: '5', variety } }),
    { upsert: 'EVENT PREPAID', ignore: 'PICKUP DELIVERY TABLESIDE' },
  ],
  [
    'checkfront',
    (type) => (type === 'booking' ? { booking: { status: 'PAID' } } : { type, [type]: { id: 1 } }),
    { upsert: 'item booking', refresh: 'rate', ignore: 'transaction' },
  ],
];

describe('every event that a provider is known to send', () => {
  it.each(NAMES)('%s', (provider, bodyOf, actions) => {
    for (const [action, names] of Object.entries(actions))
      for (const name of names.split(/\s+/)) expect([name, actionOf(provider, bodyOf(name))]).toEqual([name, action]);
  });
});
