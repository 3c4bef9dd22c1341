// Which mails a person gets about a venue.

import { changeNotifications, showNotifications } from '../../domain/accounts/notifications.ts';
import type { AppOperation } from '../app-operation.ts';
import { listed, only } from './shapes.ts';

const NOTIFICATIONS = { kind: 'external', audience: 'console', tag: 'Console', auth: 'team' } as const;

export const consoleNotifications: readonly AppOperation[] = [
  {
    ...NOTIFICATIONS,
    id: 'getNotifications',
    method: 'GET',
    path: '/console/api/notifications',
    summary: 'Get which mails you get about the venue',
    effect: 'read',
    responses: { 200: listed('Every kind of mail.', 'notification_preference') },
    run: showNotifications,
  },
  {
    ...NOTIFICATIONS,
    id: 'changeNotifications',
    method: 'POST',
    path: '/console/api/notifications',
    summary: 'Choose which mails you get about the venue',
    description: 'Your own choice, for this venue alone. Mails about the security of your account are always sent.',
    effect: 'write',
    body: only('notification_change'),
    responses: { 200: listed('Every kind of mail.', 'notification_preference') },
    run: changeNotifications,
  },
];
