import type { ApiRequest } from '../http/api-request.ts';
import type { ResourceRequestInfo } from '../http/request-info.ts';
import type { ServedResource } from '../resources/served-resource.ts';

/** Handles requests to one subresource; returns `undefined` for an unsupported verb. */
export type SubresourceHandler = (
  request: ApiRequest<ResourceRequestInfo>,
  resource: ServedResource,
) => Promise<void> | undefined;
