import { ensureObject } from '../json/json-members.ts';
import { asJson } from '@keelson/structural-schema';
import { addDefaultTolerations } from '../kinds/prepare-for-update.ts';
import { type AdmissionPlugin, writes } from './admission-plugin.ts';

/** DefaultTolerationSeconds. The registry of pods adds the tolerations too; here they are there before webhooks see the pod. */
export const defaultTolerations: AdmissionPlugin = {
  mutate(request) {
    if (!writes(request, '', 'pods')) return;
    addDefaultTolerations(ensureObject(asJson(request.object), 'spec'));
  },
};
