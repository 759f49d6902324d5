import type { StatusCause } from '@keelson/apimachinery';
import { checkDns1035Label, checkPathSegment, checkSubdomain } from '@keelson/cel/internal';
import { invalid, type JsonObject, required } from '@keelson/structural-schema';
import { objectAt, textAt } from '../../json/json-members.ts';
import { validName } from '../../schema/validation-rule.ts';

const MAX_GROUP_PRIORITY = 20_000;
const MAX_VERSION_PRIORITY = 1000;

/** Validates an APIService, including the rule that its name is its version and group. */
export function validateApiService(service: JsonObject): StatusCause[] {
  const spec = objectAt(service, 'spec');
  const [group, version] = [textAt(spec, 'group'), textAt(spec, 'version')];
  const name = textAt(objectAt(service, 'metadata'), 'name');
  return [
    ...validateName(name, `${version}.${group}`),
    ...(group === '' && version !== 'v1'
      ? [required('spec.group', 'only v1 may have an empty group and it better be legacy kube')]
      : validName(checkSubdomain, group, 'spec.group')),
    ...checkDns1035Label(version).map((detail) => invalid('spec.version', version, detail)),
    ...validatePriority(spec, 'groupPriorityMinimum', MAX_GROUP_PRIORITY),
    ...validatePriority(spec, 'versionPriority', MAX_VERSION_PRIORITY),
    ...(spec.service === undefined ? validateLocal(spec) : validateRemote(spec)),
  ];
}

function validateName(name: string, wanted: string): StatusCause[] {
  if (name === wanted || name === '' || checkPathSegment(name).length > 0) return [];
  const detail = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`;
  return [invalid('metadata.name', name, detail)];
}

function validatePriority(spec: JsonObject, field: string, most: number): StatusCause[] {
  const priority = Number(spec[field] ?? 0);
  if (priority > 0 && priority <= most) return [];
  return [invalid(`spec.${field}`, priority, `must be positive and less than ${most}`)];
}

/** An APIService without a service is served by this server itself. */
function validateLocal(spec: JsonObject): StatusCause[] {
  const bytes = Buffer.from(textAt(spec, 'caBundle'), 'base64').length;
  const insecure = 'local APIServices may not have insecureSkipTLSVerify';
  return [
    ...(bytes === 0
      ? []
      : [invalid('spec.caBundle', `${bytes} bytes`, 'local APIServices may not have a caBundle')]),
    ...(spec.insecureSkipTLSVerify === true
      ? [invalid('spec.insecureSkipTLSVerify', true, insecure)]
      : []),
  ];
}

function validateRemote(spec: JsonObject): StatusCause[] {
  const service = objectAt(spec, 'service');
  const port = Number(service.port ?? 0);
  const portDetail = 'port is not valid: must be between 1 and 65535, inclusive';
  const isContradiction = spec.insecureSkipTLSVerify === true && textAt(spec, 'caBundle') !== '';
  return [
    ...['namespace', 'name']
      .filter((field) => textAt(service, field) === '')
      .map((field) => required(`spec.service.${field}`)),
    ...(port >= 1 && port <= 65_535 ? [] : [invalid('spec.service.port', port, portDetail)]),
    ...(isContradiction
      ? [invalid('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present')]
      : []),
  ];
}
