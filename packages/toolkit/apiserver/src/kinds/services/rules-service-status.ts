import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import { isIP } from 'node:net';
import type { StatusCause } from '@keelson/apimachinery';
import { checkSubdomain } from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
  forbidden,
  indexPath,
  invalid,
  type JsonObject,
  notSupported,
  required,
} from '@keelson/structural-schema';
import { validName } from '../../schema/validation-rule.ts';

const modes = ['Proxy', 'VIP'];
const addressDetail = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

/** Validates the status of a Service except its conditions. */
export function validateServiceStatus(service: JsonObject): StatusCause[] {
  const status = objectAt(service, 'status');
  const addresses = objectsAt(objectAt(status, 'loadBalancer'), 'ingress');
  const path = 'status.loadBalancer.ingress';
  const isBalancer = objectAt(service, 'spec').type === 'LoadBalancer';
  const only = "may only be used when `spec.type` is 'LoadBalancer'";
  if (!isBalancer && addresses.length > 0) return [forbidden(path, only)];
  return addresses.flatMap((address, index) => validateAddress(address, indexPath(path, index)));
}

function validateAddress(address: JsonObject, path: FieldPath): StatusCause[] {
  const [ip, hostname] = [textAt(address, 'ip'), textAt(address, 'hostname')];
  const mode = textAt(address, 'ipMode', 'VIP');
  const field = childPath(path, 'hostname');
  const modePath = childPath(path, 'ipMode');
  return [
    ...(ip === '' || isIP(ip) !== 0 ? [] : [invalid(childPath(path, 'ip'), ip, addressDetail)]),
    ...(ip !== '' && address.ipMode === undefined
      ? [required(modePath, 'must be specified when `ip` is set')]
      : []),
    ...(ip === '' && address.ipMode !== undefined
      ? [forbidden(modePath, 'may not be specified when `ip` is not set')]
      : []),
    ...(modes.includes(mode) ? [] : [notSupported(modePath, mode, modes)]),
    ...validName(checkSubdomain, hostname, field),
    ...(isIP(hostname) === 0
      ? []
      : [invalid(field, hostname, 'must be a DNS name, not an IP address')]),
  ];
}
