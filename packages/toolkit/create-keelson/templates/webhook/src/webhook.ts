import { deny, type Manager } from '@keelson/manager';
import { Website } from './website.ts';

/** Adds the webhook that the API server asks before it stores an object. */
export function addWebhook(operator: Manager): void {
  operator.addWebhook({
    name: 'website',
    resource: Website,
    path: '/validate',
    validate({ object }) {
      const { message } = object.spec;
      if (message === message.trim()) return undefined;
      const causes = [{ field: 'spec.message', message: 'must not begin or end with a space' }];
      return deny('spec.message must not begin or end with a space', { causes });
    },
  });
}
