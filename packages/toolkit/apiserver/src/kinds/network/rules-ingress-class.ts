import type { StatusCause } from '@keelson/apimachinery';
import { checkDnsLabel, checkPathSegment, checkSubdomain } from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
  forbidden,
  invalid,
  type JsonObject,
  notSupported,
  required,
  tooLong,
} from '@keelson/structural-schema';
import { objectAt, textAt } from '../../json/json-members.ts';
import { validName } from '../../schema/validation-rule.ts';

const MAX_CONTROLLER_BYTES = 250;
const pathSyntax = String.raw`[A-Za-z0-9/\-._~%!$&'()*+,;=:]+`;
const pathPattern = new RegExp(`^${pathSyntax}$`);

/** Validates an IngressClass except its metadata. */
export function validateIngressClass(ingressClass: JsonObject): StatusCause[] {
  const spec = objectAt(ingressClass, 'spec');
  const controller = textAt(spec, 'controller');
  const path = 'spec.controller';
  return [
    ...(controller.length > MAX_CONTROLLER_BYTES ? [tooLong(path, MAX_CONTROLLER_BYTES)] : []),
    ...validatePrefixedPath(controller, path),
    ...(spec.parameters === undefined
      ? []
      : validateParameters(objectAt(spec, 'parameters'), 'spec.parameters')),
  ];
}

/** Requires a domain and a path: `example.com/controller`. */
function validatePrefixedPath(text: string, path: FieldPath): StatusCause[] {
  if (text === '') return [required(path)];
  const slash = text.indexOf('/');
  const [host, rest] = [text.slice(0, Math.max(slash, 0)), text.slice(slash + 1)];
  if (host === '' || rest === '') {
    const detail = 'must be a domain-prefixed path (such as "acme.io/foo")';
    return [invalid(path, text, detail)];
  }
  const syntax = `Invalid path (regex used for validation is '${pathSyntax}')`;
  return [
    ...checkSubdomain(host).map((detail) => invalid(path, host, detail)),
    ...(pathPattern.test(rest) ? [] : [invalid(path, rest, syntax)]),
  ];
}

function validateParameters(parameters: JsonObject, path: FieldPath): StatusCause[] {
  const { apiGroup } = parameters;
  return [
    ...(typeof apiGroup === 'string'
      ? checkSubdomain(apiGroup).map((detail) =>
          invalid(childPath(path, 'apiGroup'), apiGroup, detail),
        )
      : []),
    ...requiredSegment(parameters, path, 'kind'),
    ...requiredSegment(parameters, path, 'name'),
    ...validateScope(parameters, path),
  ];
}

/** Requires a text that can be a part of a URL. */
export function requiredSegment(object: JsonObject, path: FieldPath, name: string): StatusCause[] {
  const text = textAt(object, name);
  const field = childPath(path, name);
  return text === '' ? [required(field)] : validName(checkPathSegment, text, field);
}

const scopes = ['Cluster', 'Namespace'];

function validateScope({ scope, namespace }: JsonObject, path: FieldPath): StatusCause[] {
  const field = childPath(path, 'namespace');
  if (scope === undefined) return [required(childPath(path, 'scope'))];
  if (scope === 'Cluster') {
    if (namespace === undefined) return [];
    return [forbidden(field, "`parameters.scope` is set to 'Cluster'")];
  }
  if (scope !== 'Namespace') return [notSupported(childPath(path, 'scope'), scope, scopes)];
  if (typeof namespace !== 'string') {
    return [required(field, "`parameters.scope` is set to 'Namespace'")];
  }
  return checkDnsLabel(namespace).map((detail) => invalid(field, namespace, detail));
}
