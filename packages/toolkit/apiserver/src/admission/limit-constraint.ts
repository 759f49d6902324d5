import { nanosOfQuantity } from '@keelson/cel/internal';
import { ownValue } from '@keelson/structural-schema';
import type { ResourceList } from '../kinds/shared/resource-list.ts';

/** One bound of a LimitRange together with the requests and limits that it applies to. */
export interface Bounded {
  /** `Container`, `Pod` or `PersistentVolumeClaim`. */
  readonly type: string;
  readonly resource: string;
  /** The bound in the notation of the LimitRange. */
  readonly bound: string;
  readonly requests: ResourceList;
  readonly limits: ResourceList;
}

/** Returns the reason to reject a value; `undefined` if it is within the bound. */
export type LimitConstraint = (bounded: Bounded) => string | undefined;

/** `min`: a request must exist, and neither request nor limit may be lower. */
export const minimum: LimitConstraint = ({ type, resource, bound, requests, limits }) => {
  const [request, limit] = [ownValue(requests, resource), ownValue(limits, resource)];
  const head = `minimum ${resource} usage per ${type} is ${bound}`;
  if (request === undefined) return `${head}.  No request is specified`;
  if (milli(request) < milli(bound)) return `${head}, but request is ${request}`;
  if (limit !== undefined && milli(limit) < milli(bound)) return `${head}, but limit is ${limit}`;
  return undefined;
};

/** `max`: a limit must exist, and neither limit nor request may be higher. */
export const maximum: LimitConstraint = ({ type, resource, bound, requests, limits }) => {
  const [request, limit] = [ownValue(requests, resource), ownValue(limits, resource)];
  const head = `maximum ${resource} usage per ${type} is ${bound}`;
  if (limit === undefined) return `${head}.  No limit is specified`;
  if (milli(limit) > milli(bound)) return `${head}, but limit is ${limit}`;
  if (request !== undefined && milli(request) > milli(bound)) {
    return `${head}, but request is ${request}`;
  }
  return undefined;
};

/** `max` of a claim, which has only requests. */
export const maximumRequest: LimitConstraint = ({ type, resource, bound, requests }) => {
  const request = ownValue(requests, resource);
  const head = `maximum ${resource} usage per ${type} is ${bound}`;
  if (request === undefined) return `${head}.  No request is specified`;
  return milli(request) > milli(bound) ? `${head}, but request is ${request}` : undefined;
};

/** `maxLimitRequestRatio`: the highest allowed quotient of limit and request. */
export const ratio: LimitConstraint = ({ type, resource, bound, requests, limits }) => {
  const request = milli(ownValue(requests, resource) ?? '0');
  const limit = milli(ownValue(limits, resource) ?? '0');
  const head = `${resource} max limit to request ratio per ${type} is ${bound}`;
  if (request === 0n) return `${head}, but no request is specified or request is 0`;
  if (limit === 0n) return `${head}, but no limit is specified or limit is 0`;
  const observed = Number(limit) / Number(request);
  if (observed * 1000 <= Number(milli(bound))) return undefined;
  return `${head}, but provided ratio is ${observed.toFixed(6)}`;
};

/** The quantity in thousandths, rounded up like `Quantity.MilliValue` in Go. */
function milli(quantity: string): bigint {
  const nanos = nanosOfQuantity(quantity) ?? 0n;
  return (nanos + 999_999n) / 1_000_000n;
}
