import { goLower } from '@keelson/cel/internal';
import { ensureObject, objectAt, textAt } from '../../json/json-members.ts';
import { type JsonObject, setOwn } from '@keelson/structural-schema';
import { constants, type DefaultRules, fill } from '../../schema/default-rule.ts';

import { completePodRanges } from './rules-node.ts';

const rbacGroup = 'rbac.authorization.k8s.io';

const webhook: JsonObject = {
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
};

/** The defaults of namespaces, configuration, access rules, admission and definitions. */
export const clusterDefaults: DefaultRules = {
  'core.v1.Namespace': (namespace) => {
    const { name } = objectAt(namespace, 'metadata');
    if (name === undefined) return;
    ensureObject(objectAt(namespace, 'metadata'), 'labels')['kubernetes.io/metadata.name'] = name;
  },
  'core.v1.NamespaceStatus': constants({ phase: 'Active' }),
  'core.v1.NodeSpec': completePodRanges,
  'core.v1.NodeStatus': (status) => {
    if (status.capacity !== undefined) fill(status, { allocatable: status.capacity });
  },
  'authentication.v1.TokenRequest': (request) => {
    ensureObject(request, 'spec');
  },
  'authentication.v1.TokenRequestSpec': constants({ expirationSeconds: 3600 }),
  'core.v1.Secret': completeSecret,
  'core.v1.LimitRangeItem': completeLimit,
  'rbac.v1.RoleRef': constants({ apiGroup: rbacGroup }),
  'rbac.v1.Subject': (subject) => {
    if (subject.kind === 'User' || subject.kind === 'Group') fill(subject, { apiGroup: rbacGroup });
  },
  'scheduling.v1.PriorityClass': constants({ preemptionPolicy: 'PreemptLowerPriority' }),
  'admissionregistration.v1.ValidatingWebhook': constants(webhook),
  'admissionregistration.v1.MutatingWebhook': constants({
    ...webhook,
    reinvocationPolicy: 'Never',
  }),
  'admissionregistration.v1.RuleWithOperations': constants({ scope: '*' }),
  'admissionregistration.v1.NamedRuleWithOperations': constants({ scope: '*' }),
  'admissionregistration.v1.ServiceReference': constants({ port: 443 }),
  'admissionregistration.v1.ValidatingAdmissionPolicySpec': constants({ failurePolicy: 'Fail' }),
  'admissionregistration.v1.MutatingAdmissionPolicySpec': constants({ failurePolicy: 'Fail' }),
  'admissionregistration.v1.MatchResources': constants({
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
  }),
  'apiextensions.v1.CustomResourceDefinitionSpec': completeDefinition,
  'apiextensions.v1.ServiceReference': constants({ port: 443 }),
  'apiregistration.v1.ServiceReference': constants({ port: 443 }),
  'flowcontrol.v1.FlowSchemaSpec': inPlaceOfZero({ matchingPrecedence: 1000 }),
  'flowcontrol.v1.ExemptPriorityLevelConfiguration': constants({
    nominalConcurrencyShares: 0,
    lendablePercent: 0,
  }),
  'flowcontrol.v1.LimitedPriorityLevelConfiguration': constants({
    nominalConcurrencyShares: 30,
    lendablePercent: 0,
  }),
  'flowcontrol.v1.QueuingConfiguration': inPlaceOfZero({
    handSize: 8,
    queues: 64,
    queueLengthLimit: 50,
  }),
};

/** Returns a rule that replaces missing numbers and zeros. */
function inPlaceOfZero(values: Readonly<Record<string, number>>): (object: JsonObject) => void {
  return (object) => {
    for (const [name, value] of Object.entries(values)) {
      if ((object[name] ?? 0) === 0) object[name] = value;
    }
  };
}

/** Moves the values of the write-only field `stringData` to `data` and overwrites existing values. */
function completeSecret(secret: JsonObject): void {
  fill(secret, { type: 'Opaque' });
  if (secret.stringData === undefined) return;
  const data = ensureObject(secret, 'data');
  const texts = objectAt(secret, 'stringData');
  for (const key of Object.keys(texts)) {
    setOwn(data, key, Buffer.from(textAt(texts, key)).toString('base64'));
  }
  delete secret.stringData;
}

function completeLimit(limit: JsonObject): void {
  if (limit.type !== 'Container') return;
  const { max, min } = limit;
  if (max !== undefined) fill(ensureObject(limit, 'default'), objectAt(limit, 'max'));
  if (limit.default === undefined && min === undefined) return;
  const request = ensureObject(limit, 'defaultRequest');
  fill(request, objectAt(limit, 'default'));
  fill(request, objectAt(limit, 'min'));
}

function completeDefinition(spec: JsonObject): void {
  const names = ensureObject(spec, 'names');
  const kind = typeof names.kind === 'string' ? names.kind : '';
  if (kind !== '') fill(names, { singular: goLower(kind), listKind: `${kind}List` });
  fill(spec, { conversion: { strategy: 'None' } });
  dropEmptyWebhook(objectAt(spec, 'conversion'));
}

/** kube-apiserver's internal form has no webhook without one of these parts. */
function dropEmptyWebhook(conversion: JsonObject): void {
  const { clientConfig, conversionReviewVersions } = objectAt(conversion, 'webhook');
  const hasVersions =
    Array.isArray(conversionReviewVersions) && conversionReviewVersions.length > 0;
  if (clientConfig === undefined && !hasVersions) delete conversion['webhook'];
}
