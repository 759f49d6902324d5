import type { ApiRequest } from '../http/api-request.ts';
import type { ResourceRequestInfo } from '../http/request-info.ts';
import type { ServedResource } from '../resources/served-resource.ts';

/** Answers a request to one subresource; `undefined` for a verb that it does not have. */
export type SubresourceHandler = (
  request: ApiRequest<ResourceRequestInfo>,
  resource: ServedResource,
) => Promise<void> | undefined;
