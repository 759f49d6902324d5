import type { JsonObject } from '@keelson/structural-schema';
import { constants, type DefaultRules, fill } from '../../schema/default-rule.ts';

/** The defaults of ResourceClaims and their templates. */
export const deviceDefaults: DefaultRules = {
  'resource.v1.ExactDeviceRequest': completeRequest,
  'resource.v1.DeviceSubRequest': completeRequest,
  'resource.v1.DeviceToleration': constants({ operator: 'Equal' }),
};

/** A request is for one device unless it says otherwise. */
function completeRequest(request: JsonObject): void {
  fill(request, { allocationMode: 'ExactCount' });
  if (request.allocationMode === 'ExactCount') fill(request, { count: 1 });
}
