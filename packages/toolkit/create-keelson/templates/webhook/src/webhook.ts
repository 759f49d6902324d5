import { defineWebhook, deny } from '@keelson/manager/webhooks';
import { Website } from './website.ts';

/** The API server asks this webhook before it stores an object. `npm run manifests` registers it. */
export const validation = defineWebhook({
  name: 'website',
  resource: Website,
  validate({ object }) {
    const { message } = object.spec;
    if (message === message.trim()) return undefined;
    const causes = [{ field: 'spec.message', message: 'must not begin or end with a space' }];
    return deny('spec.message must not begin or end with a space', { causes });
  },
});
