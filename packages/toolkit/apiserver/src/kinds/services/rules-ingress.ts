import { objectAt, objectsAt, textAt, textsAt } from '../../json/json-members.ts';
import { isIP } from 'node:net';
import type { StatusCause } from '@keelson/apimachinery';
import {
  checkDnsLabel,
  checkPathSegment,
  checkPortName,
  checkSubdomain,
  checkWildcardSubdomain,
} from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
  indexPath,
  invalid,
  type JsonObject,
  notSupported,
  required,
} from '@keelson/structural-schema';
import { presentName, validName, validPort } from '../../schema/validation-rule.ts';

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'];
const forbiddenSequences = ['//', '/./', '/../', '%2f', '%2F'];
const forbiddenEnds = ['/..', '/.'];
const classAnnotation = 'kubernetes.io/ingress.class';

/** Validates an Ingress except its metadata. */
export function validateIngress(ingress: JsonObject, old?: JsonObject): StatusCause[] {
  const spec = objectAt(ingress, 'spec');
  return [...validateSpec(spec, 'spec'), ...(old === undefined ? sameClass(ingress, spec) : [])];
}

function sameClass(ingress: JsonObject, spec: JsonObject): StatusCause[] {
  const annotation = objectAt(objectAt(ingress, 'metadata'), 'annotations')[classAnnotation];
  const { ingressClassName } = spec;
  if (annotation === undefined || ingressClassName === undefined) return [];
  if (annotation === ingressClassName) return [];
  const detail = 'must match `ingressClassName` when both are specified';
  return [invalid(childPath('annotations', classAnnotation), annotation, detail)];
}

function validateSpec(spec: JsonObject, path: FieldPath): StatusCause[] {
  const rules = objectsAt(spec, 'rules');
  const detail = 'either `defaultBackend` or `rules` must be specified';
  return [
    ...(rules.length === 0 && spec.defaultBackend === undefined
      ? [invalid(path, spec.rules ?? null, detail)]
      : []),
    ...(spec.defaultBackend === undefined
      ? []
      : validateBackend(objectAt(spec, 'defaultBackend'), childPath(path, 'defaultBackend'))),
    ...rules.flatMap((rule, index) =>
      validateRule(rule, indexPath(childPath(path, 'rules'), index)),
    ),
    ...objectsAt(spec, 'tls').flatMap((tls, index) =>
      validateTls(tls, indexPath(childPath(path, 'tls'), index)),
    ),
    ...presentName(checkSubdomain, spec.ingressClassName, childPath(path, 'ingressClassName')),
  ];
}

function validateRule(rule: JsonObject, path: FieldPath): StatusCause[] {
  const host = textAt(rule, 'host');
  const field = childPath(path, 'host');
  const http = objectAt(rule, 'http');
  const paths = objectsAt(http, 'paths');
  const pathsField = childPath(path, 'http.paths');
  return [
    ...(isIP(host) === 0 ? [] : [invalid(field, host, 'must be a DNS name, not an IP address')]),
    ...validHost(host, field),
    ...(rule.http !== undefined && paths.length === 0 ? [required(pathsField)] : []),
    ...paths.flatMap((each, index) => validatePath(each, indexPath(pathsField, index))),
  ];
}

function validHost(host: string, field: FieldPath): StatusCause[] {
  return validName(host.includes('*') ? checkWildcardSubdomain : checkSubdomain, host, field);
}

function validatePath(rule: JsonObject, path: FieldPath): StatusCause[] {
  const type = textAt(rule, 'pathType');
  // An empty text is a value, as the field is a pointer in Go.
  if ((rule['pathType'] ?? null) === null) {
    return [required(childPath(path, 'pathType'), 'pathType must be specified')];
  }
  return [
    ...(pathTypes.includes(type)
      ? validatePathText(textAt(rule, 'path'), type, childPath(path, 'path'))
      : [notSupported(childPath(path, 'pathType'), type, pathTypes)]),
    ...validateBackend(objectAt(rule, 'backend'), childPath(path, 'backend')),
  ];
}

function validatePathText(text: string, type: string, field: FieldPath): StatusCause[] {
  const isFree = type === 'ImplementationSpecific';
  const causes =
    text.startsWith('/') || (isFree && text === '')
      ? []
      : [invalid(field, text, 'must be an absolute path')];
  if (isFree) return causes;
  return [
    ...causes,
    ...forbiddenSequences
      .filter((part) => text.includes(part))
      .map((part) => invalid(field, text, `must not contain '${part}'`)),
    ...forbiddenEnds
      .filter((part) => text.endsWith(part))
      .map((part) => invalid(field, text, `cannot end with '${part}'`)),
  ];
}

function validateBackend(backend: JsonObject, path: FieldPath): StatusCause[] {
  if (backend.resource !== undefined && backend.service !== undefined) {
    return [invalid(path, '', 'cannot set both resource and service backends')];
  }
  if (backend.resource !== undefined) {
    return validateReference(objectAt(backend, 'resource'), childPath(path, 'resource'));
  }
  if (backend.service === undefined) {
    return [invalid(path, '', 'resource or service backend is required')];
  }
  return validateServiceBackend(objectAt(backend, 'service'), path);
}

function validateReference(reference: JsonObject, path: FieldPath): StatusCause[] {
  return [
    ...presentName(checkSubdomain, reference.apiGroup, childPath(path, 'apiGroup')),
    ...['kind', 'name'].flatMap((field) =>
      textAt(reference, field) === ''
        ? [required(childPath(path, field))]
        : validName(checkPathSegment, reference[field], childPath(path, field)),
    ),
  ];
}

function validateServiceBackend(service: JsonObject, path: FieldPath): StatusCause[] {
  const field = childPath(path, 'service');
  const name = childPath(field, 'name');
  const port = objectAt(service, 'port');
  return [
    ...(textAt(service, 'name') === ''
      ? [required(name)]
      : validName(checkDnsLabel, service.name, name)),
    ...validateServicePort(port, path),
  ];
}

function validateServicePort(port: JsonObject, path: FieldPath): StatusCause[] {
  const hasName = textAt(port, 'name') !== '';
  const hasNumber = (port.number ?? 0) !== 0;
  const field = childPath(path, 'service.port');
  if (hasName && hasNumber) return [invalid(path, '', 'cannot set both port name & port number')];
  if (hasName) return validName(checkPortName, port.name, childPath(field, 'name'));
  if (hasNumber) return validPort(port.number, childPath(field, 'number'));
  return [required(path, 'port name or number is required')];
}

function validateTls(tls: JsonObject, path: FieldPath): StatusCause[] {
  const hosts = childPath(path, 'hosts');
  return [
    ...textsAt(tls, 'hosts').flatMap((host, index) =>
      host === ''
        ? checkSubdomain(host).map((detail) => invalid(indexPath(hosts, index), host, detail))
        : validHost(host, indexPath(hosts, index)),
    ),
    ...validName(checkSubdomain, tls.secretName, childPath(path, 'secretName')),
  ];
}

/** Validates the status of an Ingress. */
export function validateIngressStatus(ingress: JsonObject): StatusCause[] {
  const loadBalancer = objectAt(objectAt(ingress, 'status'), 'loadBalancer');
  return objectsAt(loadBalancer, 'ingress').flatMap((address, index) => {
    const path = indexPath('status.loadBalancer.ingress', index);
    const [ip, hostname] = [textAt(address, 'ip'), textAt(address, 'hostname')];
    const ipDetail = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
    const hostDetail = 'must be a DNS name, not an IP address';
    const field = childPath(path, 'hostname');
    return [
      ...(ip === '' || isIP(ip) !== 0 ? [] : [invalid(childPath(path, 'ip'), ip, ipDetail)]),
      ...validName(checkSubdomain, hostname, field),
      ...(isIP(hostname) === 0 ? [] : [invalid(field, hostname, hostDetail)]),
    ];
  });
}
