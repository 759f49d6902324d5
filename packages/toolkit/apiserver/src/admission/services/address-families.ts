import { objectAt, textAt, textsAt } from '../../json/json-members.ts';
import { isIP } from 'node:net';
import type { StatusCause, StatusError } from '@keelson/apimachinery';
import {
  indexPath,
  invalid as invalidField,
  jsonEquals,
  type JsonObject,
} from '@keelson/structural-schema';
import { validateServiceAddresses } from '../../kinds/services/rules-service-addresses.ts';
import { invalid } from '../../status-errors/status-errors.ts';
import type { AdmissionRequest } from '../admission-plugin.ts';

/**
 * Sets the address families of a Service on a cluster with IPv4 only. Invalid addresses and families are reported
 * before any other error.
 */
export function setAddressFamilies(
  request: AdmissionRequest,
  spec: JsonObject,
  before: JsonObject = {},
): void {
  if (keepsPreferred(spec, before)) return;
  const isOpen = isHeadlessWithoutSelector(spec);
  spec.ipFamilyPolicy ??= before.ipFamilyPolicy ?? (isOpen ? 'RequireDualStack' : 'SingleStack');
  refuse(request, validateServiceAddresses(spec));
  refuse(request, [...releaseSecond(spec, before), ...inferFamilies(spec)]);
  if (isOpen) {
    completeOpenFamilies(spec);
    return;
  }
  refuse(request, unconfigured(spec));
  if (textsAt(spec, 'ipFamilies').length === 0) spec.ipFamilies = ['IPv4'];
}

/** The 422 response for one invalid field of a Service. */
export function invalidService(
  request: AdmissionRequest,
  field: string,
  value: unknown,
  detail: string,
): StatusError {
  return refusal(request, [invalidField(field, value, detail)]);
}

function refuse(request: AdmissionRequest, causes: readonly StatusCause[]): void {
  if (causes.length > 0) throw refusal(request, causes);
}

function refusal(
  { resource, object }: AdmissionRequest,
  causes: readonly StatusCause[],
): StatusError {
  return invalid(resource.subject(object.metadata.name ?? ''), [...causes]);
}

function isHeadlessWithoutSelector(spec: JsonObject): boolean {
  return spec.clusterIP === 'None' && Object.keys(objectAt(spec, 'selector')).length === 0;
}

/**
 * True if an update keeps the addresses of a Service with `PreferDualStack`; such an update adds no second family. A
 * Service that was created through `/status` may have had no policy.
 */
function keepsPreferred(spec: JsonObject, before: JsonObject): boolean {
  const same = ['type', 'clusterIPs', 'ipFamilies'];
  const { ipFamilyPolicy: former = 'PreferDualStack' } = before;
  return (
    [former, spec.ipFamilyPolicy].every((policy) => policy === 'PreferDualStack') &&
    same.every((name) => jsonEquals(spec[name], before[name]))
  );
}

/** An update may drop the second address or family only with `SingleStack`; otherwise it is invalid. */
function releaseSecond(spec: JsonObject, before: JsonObject): StatusCause[] {
  const causes: StatusCause[] = [];
  const policy = textAt(spec, 'ipFamilyPolicy');
  for (const [member, what] of [
    ['clusterIPs', 'cluster IP'],
    ['ipFamilies', 'IP family'],
  ] as const) {
    const [now, former] = [textsAt(spec, member), textsAt(before, member)];
    if (policy === 'SingleStack') {
      if (now.length > 1 && jsonEquals(now, former)) spec[member] = now.slice(0, 1);
    } else if (now.length > 0 && now.length < former.length) {
      const detail = `must be 'SingleStack' to release the secondary ${what}`;
      causes.push(invalidField('spec.ipFamilyPolicy', policy, detail));
    }
  }
  return [...causes, ...tooMany(spec, policy)];
}

function tooMany(spec: JsonObject, policy: string): StatusCause[] {
  if (policy !== 'SingleStack') return [];
  const kinds = [
    ['clusterIPs', 'cluster IPs'],
    ['ipFamilies', 'IP families'],
  ] as const;
  return kinds
    .filter(([member]) => textsAt(spec, member).length === 2)
    .map(([, what]) => {
      const detail = `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`;
      return invalidField('spec.ipFamilyPolicy', policy, detail);
    });
}

/** Derives the families from the addresses. */
function inferFamilies(spec: JsonObject): StatusCause[] {
  const addresses = textsAt(spec, 'clusterIPs');
  const families = textsAt(spec, 'ipFamilies');
  if (addresses[0] === 'None') return [];
  const causes: StatusCause[] = [];
  for (const [index, address] of addresses.entries()) {
    if (index < families.length) continue;
    if (isIP(address) === 6) {
      const field = indexPath('spec.clusterIPs', index);
      causes.push(invalidField(field, addresses, 'IPv6 is not configured on this cluster'));
    } else {
      families.push('IPv4');
      spec.ipFamilies = families;
    }
  }
  return causes;
}

function completeOpenFamilies(spec: JsonObject): void {
  const [first = 'IPv4', second] = textsAt(spec, 'ipFamilies');
  const other = first === 'IPv4' ? 'IPv6' : 'IPv4';
  const isSingle = spec.ipFamilyPolicy === 'SingleStack';
  spec.ipFamilies = [first, ...(second !== undefined ? [second] : isSingle ? [] : [other])];
}

function unconfigured(spec: JsonObject): StatusCause[] {
  const policy = textAt(spec, 'ipFamilyPolicy');
  const detail = 'this cluster is not configured for dual-stack services';
  return [
    ...(policy === 'RequireDualStack' ? [invalidField('spec.ipFamilyPolicy', policy, detail)] : []),
    ...textsAt(spec, 'ipFamilies').flatMap((family, index) => {
      const field = indexPath('spec.ipFamilies', index);
      return family === 'IPv4'
        ? []
        : [invalidField(field, family, 'not configured on this cluster')];
    }),
  ];
}
