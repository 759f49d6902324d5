import type { StatusCause } from '@keelson/apimachinery';
import { checkPathSegment, checkSubdomain } from '@keelson/cel/internal';
import {
  indexPath,
  invalid,
  jsonEquals,
  type JsonObject,
  required,
} from '@keelson/structural-schema';
import { objectAt, textAt, textsAt } from '../../json/json-members.ts';
import { validName } from '../../schema/validation-rule.ts';
import { parseRange, validateRange } from './network-address.ts';
import { requiredSegment } from './rules-ingress-class.ts';

const path = 'spec.cidrs';
const immutableDetail = 'field is immutable';

/** Validates a new ServiceCIDR except its metadata. */
export function validateServiceRange(range: JsonObject): StatusCause[] {
  const texts = rangesOf(range);
  if (texts.length === 0) return [required(path, 'at least one CIDR required')];
  if (texts.length > 2) {
    // kube-apiserver prints its internal struct, whose member has another name.
    return [invalid(path, { CIDRs: texts }, 'may only hold up to 2 values')];
  }
  return [
    ...texts.flatMap((text, index) => validateRange(text, indexPath(path, index))),
    ...sameFamily(texts),
  ];
}

function rangesOf(range: JsonObject): string[] {
  return textsAt(objectAt(range, 'spec'), 'cidrs');
}

function sameFamily(texts: readonly string[]): StatusCause[] {
  const [first, second] = texts.map((text) => parseRange(text)?.address.isV4);
  if (texts.length < 2 || first === undefined || first !== second) return [];
  const detail =
    'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
  return [invalid(path, texts, detail)];
}

/** A ServiceCIDR may only get a range of the other family. */
export function validateServiceRangeChange(range: JsonObject, old: JsonObject): StatusCause[] {
  const [next, before] = [rangesOf(range), rangesOf(old)];
  const kept = before.flatMap((text, index) =>
    next[index] === text ? [] : [invalid(indexPath(path, index), next[index], immutableDetail)],
  );
  if (next.length === before.length) return kept;
  if (before.length === 1 && next.length === 2) return [...kept, ...validateServiceRange(range)];
  return [invalid(path, next, immutableDetail)];
}

/** Validates an IPAddress except its metadata. */
export function validateIpAddress(address: JsonObject): StatusCause[] {
  const spec = objectAt(address, 'spec');
  const field = 'spec.parentRef';
  if (spec.parentRef === undefined) return [required(field)];
  const parent = objectAt(spec, 'parentRef');
  return [
    ...validName(checkSubdomain, parent.group, `${field}.group`),
    ...requiredSegment(parent, field, 'resource'),
    ...requiredSegment(parent, field, 'name'),
    ...validName(checkPathSegment, parent.namespace, `${field}.namespace`),
  ];
}

/** The parent of an IPAddress never changes. */
export function validateIpAddressChange(address: JsonObject, old: JsonObject): StatusCause[] {
  const [next, before] = [address, old].map((each) => objectAt(each, 'spec').parentRef);
  if (jsonEquals(next, before)) return [];
  if (next === undefined) return [invalid('spec.parentRef', null, immutableDetail)];
  const parent = objectAt(objectAt(address, 'spec'), 'parentRef');
  // kube-apiserver prints its internal struct, whose members have other names.
  const shown = {
    Group: textAt(parent, 'group'),
    Name: textAt(parent, 'name'),
    Namespace: textAt(parent, 'namespace'),
    Resource: textAt(parent, 'resource'),
  };
  return [invalid('spec.parentRef', shown, immutableDetail)];
}
