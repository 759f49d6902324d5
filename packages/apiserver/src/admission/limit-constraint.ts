import { nanosOfQuantity } from '@keelson/cel/internal';
import type { ResourceList } from './resource-list.ts';

/** What a LimitRange bounds, and what is bounded. */
export interface Bounded {
  /** `Container`, `Pod` or `PersistentVolumeClaim`. */
  readonly type: string;
  readonly resource: string;
  /** The bound, as it is written in the LimitRange. */
  readonly bound: string;
  readonly requests: ResourceList;
  readonly limits: ResourceList;
}

/** Why a value is refused; `undefined` if it is within the bound. */
export type LimitConstraint = (bounded: Bounded) => string | undefined;

/** `min`: must be requested, and neither request nor limit may be less. */
export const minimum: LimitConstraint = ({ type, resource, bound, requests, limits }) => {
  const [request, limit] = [requests[resource], limits[resource]];
  const head = `minimum ${resource} usage per ${type} is ${bound}`;
  if (request === undefined) return `${head}.  No request is specified`;
  if (milli(request) < milli(bound)) return `${head}, but request is ${request}`;
  if (limit !== undefined && milli(limit) < milli(bound)) return `${head}, but limit is ${limit}`;
  return undefined;
};

/** `max`: must be limited, and neither limit nor request may be more. */
export const maximum: LimitConstraint = ({ type, resource, bound, requests, limits }) => {
  const [request, limit] = [requests[resource], limits[resource]];
  const head = `maximum ${resource} usage per ${type} is ${bound}`;
  if (limit === undefined) return `${head}.  No limit is specified`;
  if (milli(limit) > milli(bound)) return `${head}, but limit is ${limit}`;
  if (request !== undefined && milli(request) > milli(bound)) {
    return `${head}, but request is ${request}`;
  }
  return undefined;
};

/** `max` of a claim, which has no limits. */
export const maximumRequest: LimitConstraint = ({ type, resource, bound, requests }) => {
  const request = requests[resource];
  const head = `maximum ${resource} usage per ${type} is ${bound}`;
  if (request === undefined) return `${head}.  No request is specified`;
  return milli(request) > milli(bound) ? `${head}, but request is ${request}` : undefined;
};

/** `maxLimitRequestRatio`: how much more than requested may be used. */
export const ratio: LimitConstraint = ({ type, resource, bound, requests, limits }) => {
  const [request, limit] = [milli(requests[resource] ?? '0'), milli(limits[resource] ?? '0')];
  const head = `${resource} max limit to request ratio per ${type} is ${bound}`;
  if (request === 0n) return `${head}, but no request is specified or request is 0`;
  if (limit === 0n) return `${head}, but no limit is specified or limit is 0`;
  const observed = Number(limit) / Number(request);
  if (observed * 1000 <= Number(milli(bound))) return undefined;
  return `${head}, but provided ratio is ${observed.toFixed(6)}`;
};

/** In thousandths, rounded up as the server rounds. */
function milli(quantity: string): bigint {
  const nanos = nanosOfQuantity(quantity) ?? 0n;
  return (nanos + 999_999n) / 1_000_000n;
}
