import type { StatusCause } from '@keelson/apimachinery';
import { checkDnsLabel, checkSubdomain } from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
  forbidden,
  indexPath,
  invalid,
  isNumeric,
  type JsonObject,
  notSupported,
  required,
} from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt, textsAt } from '../../json/json-members.ts';
import { validName } from '../../schema/validation-rule.ts';

const MAX_PRECEDENCE = 10_000;
const MAX_QUEUES = 10_000_000;
const MAX_HASH_BITS = 60;
const exemptName = 'exempt';

/** Validates a PriorityLevelConfiguration except its metadata. */
export function validatePriorityLevel(level: JsonObject): StatusCause[] {
  const spec = objectAt(level, 'spec');
  const type = textAt(spec, 'type');
  const isExemptName = textAt(objectAt(level, 'metadata'), 'name') === exemptName;
  const detail = "must be 'Exempt' if and only if `name` is 'exempt'";
  return [
    ...(isExemptName === (type === 'Exempt') ? [] : [invalid('spec.type', type, detail)]),
    ...validateLevelPart(spec, type),
  ];
}

function validateLevelPart(spec: JsonObject, type: string): StatusCause[] {
  switch (type) {
    case 'Exempt':
      return [
        ...(spec.limited === undefined
          ? []
          : [forbidden('spec.limited', 'must be nil if the type is not Limited')]),
        ...validateShares(objectAt(spec, 'exempt'), 'spec.exempt'),
        ...validateLendable(objectAt(spec, 'exempt'), 'spec.exempt'),
      ];
    case 'Limited':
      return [
        ...(spec.exempt === undefined
          ? []
          : [forbidden('spec.exempt', 'must be nil if the type is Limited')]),
        ...(spec.limited === undefined
          ? [required('spec.limited', 'must not be empty when type is Limited')]
          : validateLimited(objectAt(spec, 'limited'), 'spec.limited')),
      ];
    case '':
      return [required('spec.type')];
    default:
      return [notSupported('spec.type', type, ['Exempt', 'Limited'])];
  }
}

function validateLimited(limited: JsonObject, path: FieldPath): StatusCause[] {
  const borrowing = limited.borrowingLimitPercent;
  return [
    ...validateShares(limited, path),
    ...validateResponse(objectAt(limited, 'limitResponse'), childPath(path, 'limitResponse')),
    ...validateLendable(limited, path),
    ...(isNumeric(borrowing) && borrowing < 0
      ? [
          invalid(
            childPath(path, 'borrowingLimitPercent'),
            borrowing,
            'if specified, must be a non-negative integer',
          ),
        ]
      : []),
  ];
}

function validateShares(part: JsonObject, path: FieldPath): StatusCause[] {
  const shares = part.nominalConcurrencyShares;
  if (!isNumeric(shares) || shares >= 0) return [];
  const detail = 'must be a non-negative integer';
  return [invalid(childPath(path, 'nominalConcurrencyShares'), shares, detail)];
}

function validateLendable(
  { lendablePercent: percent }: JsonObject,
  path: FieldPath,
): StatusCause[] {
  if (!isNumeric(percent) || (percent >= 0 && percent <= 100)) return [];
  const detail = 'must be between 0 and 100, inclusive';
  return [invalid(childPath(path, 'lendablePercent'), percent, detail)];
}

function validateResponse(response: JsonObject, path: FieldPath): StatusCause[] {
  const type = textAt(response, 'type');
  const field = childPath(path, 'queuing');
  const detail = 'must not be empty if limited.limitResponse.type is Limited';
  const otherDetail = 'must be nil if limited.limitResponse.type is not Limited';
  switch (type) {
    case 'Reject':
      return response.queuing === undefined ? [] : [forbidden(field, otherDetail)];
    case 'Queue':
      return response.queuing === undefined
        ? [required(field, detail)]
        : validateQueues(objectAt(response, 'queuing'), field);
    case '':
      return [required(childPath(path, 'type'))];
    default:
      return [notSupported(childPath(path, 'type'), type, ['Queue', 'Reject'])];
  }
}

function validateQueues(queuing: JsonObject, path: FieldPath): StatusCause[] {
  const [limit, queues, hand] = ['queueLengthLimit', 'queues', 'handSize'].map((name) =>
    Number(queuing[name] ?? 0),
  ) as [number, number, number];
  const bits = Math.ceil(Math.log2(queues) * hand);
  const queuesPath = childPath(path, 'queues');
  const handPath = childPath(path, 'handSize');
  const positive = 'must be positive';
  return [
    ...(limit > 0 ? [] : [invalid(childPath(path, 'queueLengthLimit'), limit, positive)]),
    ...(queues > 0 ? [] : [invalid(queuesPath, queues, positive)]),
    ...(queues > MAX_QUEUES
      ? [invalid(queuesPath, queues, `must not be greater than ${MAX_QUEUES}`)]
      : []),
    ...handDetails(hand, queues, bits).map((detail) => invalid(handPath, hand, detail)),
  ];
}

function handDetails(hand: number, queues: number, bits: number): string[] {
  if (hand <= 0) return ['must be positive'];
  if (hand > queues) return [`should not be greater than queues (${queues})`];
  if (bits <= MAX_HASH_BITS) return [];
  return [
    `required entropy bits of deckSize ${queues} and handSize ${hand} should not be greater than ${MAX_HASH_BITS}`,
  ];
}

/** Validates a FlowSchema except its metadata. */
export function validateFlowSchema(schema: JsonObject): StatusCause[] {
  const spec = objectAt(schema, 'spec');
  const level = textAt(objectAt(spec, 'priorityLevelConfiguration'), 'name');
  const path = 'spec.priorityLevelConfiguration.name';
  return [
    ...validatePrecedence(spec, textAt(objectAt(schema, 'metadata'), 'name')),
    ...validateDistinguisher(spec),
    ...(level === ''
      ? [required(path, 'must reference a priority level')]
      : validName(checkSubdomain, level, path)),
    ...objectsAt(spec, 'rules').flatMap((rule, index) =>
      validateRule(rule, indexPath('spec.rules', index)),
    ),
  ];
}

function validatePrecedence(spec: JsonObject, name: string): StatusCause[] {
  const precedence = Number(spec.matchingPrecedence ?? 0);
  const only = "only the schema named 'exempt' may have matchingPrecedence 1";
  const details = [
    ...(precedence <= 0 ? ['must be a positive value'] : []),
    ...(precedence > MAX_PRECEDENCE ? [`must not be greater than ${MAX_PRECEDENCE}`] : []),
    ...(precedence === 1 && name !== exemptName ? [only] : []),
  ];
  return details.map((detail) => invalid('spec.matchingPrecedence', precedence, detail));
}

function validateDistinguisher(spec: JsonObject): StatusCause[] {
  if (spec.distinguisherMethod === undefined) return [];
  const methods = ['ByNamespace', 'ByUser'];
  const type = textAt(objectAt(spec, 'distinguisherMethod'), 'type');
  if (methods.includes(type)) return [];
  // kube-apiserver prints its internal struct, whose member has another name.
  return [notSupported('spec.distinguisherMethod.type', { Type: type }, methods)];
}

function validateRule(rule: JsonObject, path: FieldPath): StatusCause[] {
  const subjects = objectsAt(rule, 'subjects');
  const [resources, paths] = [
    objectsAt(rule, 'resourceRules'),
    objectsAt(rule, 'nonResourceRules'),
  ];
  const detail = 'at least one of resourceRules and nonResourceRules has to be non-empty';
  return [
    ...(subjects.length === 0
      ? [required(childPath(path, 'subjects'), 'subjects must contain at least one value')]
      : subjects.flatMap((subject, index) =>
          validateSubject(subject, indexPath(childPath(path, 'subjects'), index)),
        )),
    ...(resources.length + paths.length === 0 ? [required(path, detail)] : []),
    ...resources.flatMap((each, index) =>
      validateResourceRule(each, indexPath(childPath(path, 'resourceRules'), index)),
    ),
    ...paths.flatMap((each, index) =>
      validatePathRule(each, indexPath(childPath(path, 'nonResourceRules'), index)),
    ),
  ];
}

/** The member of a subject for each kind, in the order in which the others are forbidden. */
const subjectMembers: Readonly<Record<string, string>> = {
  ServiceAccount: 'serviceAccount',
  User: 'user',
  Group: 'group',
};

function validateSubject(subject: JsonObject, path: FieldPath): StatusCause[] {
  const kind = textAt(subject, 'kind');
  const own = Object.hasOwn(subjectMembers, kind) ? subjectMembers[kind] : undefined;
  if (own === undefined) {
    const kinds = ['Group', 'ServiceAccount', 'User'];
    return [notSupported(childPath(path, 'kind'), kind, kinds)];
  }
  const others = Object.entries(subjectMembers).filter(
    ([, member]) => member !== own && subject[member] !== undefined,
  );
  return [
    ...(subject[own] === undefined
      ? [required(childPath(path, own), `${own} is required when subject kind is '${kind}'`)]
      : validateSubjectMember(objectAt(subject, own), kind, childPath(path, own))),
    ...others.map(([other, member]) =>
      forbidden(
        childPath(path, member),
        `${member} is forbidden when subject kind is not '${other}'`,
      ),
    ),
  ];
}

function validateSubjectMember(member: JsonObject, kind: string, path: FieldPath): StatusCause[] {
  const name = textAt(member, 'name');
  const field = childPath(path, 'name');
  if (kind !== 'ServiceAccount') return name === '' ? [required(field)] : [];
  const namespace = textAt(member, 'namespace');
  const namespaceField = childPath(path, 'namespace');
  return [
    ...(name === '' ? [required(field)] : []),
    ...(name === '*' ? [] : validName(checkSubdomain, name, field)),
    ...(namespace === ''
      ? [required(namespaceField, 'must specify namespace for service account')]
      : validName(checkDnsLabel, namespace, namespaceField)),
  ];
}

const verbs = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'proxy',
  'update',
  'watch',
];

function validateVerbs(rule: JsonObject, path: FieldPath): StatusCause[] {
  const given = textsAt(rule, 'verbs');
  const field = childPath(path, 'verbs');
  if (given.length === 0) return [required(field, 'verbs must contain at least one value')];
  if (given.includes('*')) return onlyWildcard(given, field, 'verbs');
  return given.every((verb) => verbs.includes(verb)) ? [] : [notSupported(field, given, verbs)];
}

/** A list with `*` has no other items. */
function onlyWildcard(given: readonly string[], path: FieldPath, what: string): StatusCause[] {
  if (given.length < 2 || !given.includes('*')) return [];
  return [invalid(path, given, `if '*' is present, must not specify other ${what}`)];
}

function validateResourceRule(rule: JsonObject, path: FieldPath): StatusCause[] {
  const [groups, resources] = [textsAt(rule, 'apiGroups'), textsAt(rule, 'resources')];
  const [groupsPath, resourcesPath] = [childPath(path, 'apiGroups'), childPath(path, 'resources')];
  return [
    ...validateVerbs(rule, path),
    ...(groups.length === 0
      ? [required(groupsPath, 'resource rules must supply at least one api group')]
      : onlyWildcard(groups, groupsPath, 'api groups')),
    ...(resources.length === 0
      ? [required(resourcesPath, 'resource rules must supply at least one resource')]
      : onlyWildcard(resources, resourcesPath, 'resources')),
    ...validateNamespaces(rule, childPath(path, 'namespaces')),
  ];
}

function validateNamespaces(rule: JsonObject, path: FieldPath): StatusCause[] {
  const namespaces = textsAt(rule, 'namespaces');
  if (namespaces.length === 0 && rule.clusterScope !== true) {
    const detail = 'resource rules that are not cluster scoped must supply at least one namespace';
    return [required(path, detail)];
  }
  if (namespaces.includes('*')) return onlyWildcard(namespaces, path, 'namespaces');
  const intro = "each member of this list must be '*' or a DNS-1123 label; ";
  return namespaces.flatMap((name, index) =>
    checkDnsLabel(name).map((detail) => invalid(indexPath(path, index), name, intro + detail)),
  );
}

function validatePathRule(rule: JsonObject, path: FieldPath): StatusCause[] {
  const urls = textsAt(rule, 'nonResourceURLs');
  const field = childPath(path, 'nonResourceURLs');
  if (urls.length === 0) {
    const detail = 'nonResourceURLs must contain at least one value';
    return [...validateVerbs(rule, path), required(field, detail)];
  }
  if (urls.includes('*')) {
    return [...validateVerbs(rule, path), ...onlyWildcard(urls, field, 'non-resource URLs')];
  }
  return [
    ...validateVerbs(rule, path),
    ...urls.flatMap((url, index) => {
      const detail = urlProblem(url);
      return detail === undefined ? [] : [invalid(indexPath(field, index), url, detail)];
    }),
  ];
}

function urlProblem(url: string): string | undefined {
  if (url === '') return 'must not be empty';
  if (!url.startsWith('/')) return 'must start with slash';
  if (url.includes(' ')) return 'must not contain white-space';
  if (url.includes('//')) return 'must not contain double slash';
  const stars = url.split('*').length - 1;
  const isSuffix = stars === 0 || (stars === 1 && url.endsWith('/*'));
  return isSuffix ? undefined : 'wildcard can only do suffix matching';
}
