import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import { asJson, type JsonObject } from '@keelson/structural-schema';
import { invalid } from '../../status-errors/status-errors.ts';
import type { ApiObject } from '../../storage/api-object.ts';
import type { ResourceStore } from '../../storage/resource-store.ts';
import { keyOfMetadata } from '../../storage/stored-object.ts';
import {
  type AdmissionPlugin,
  type AdmissionRequest,
  refused,
  writes,
} from '../admission-plugin.ts';
import { namespaceWarnings } from './namespace-warnings.ts';
import { isStricter, policyOf, showLevel } from './pod-security-policy.ts';
import { type CheckedPod, containersOf } from './security-check.ts';
import { showViolations, violationsOf } from './violations.ts';

/** Where each kind holds its pod template. */
const templates: Readonly<Record<string, readonly string[]>> = {
  'v1/podtemplates': ['template'],
  'v1/replicationcontrollers': ['spec', 'template'],
  'apps/v1/daemonsets': ['spec', 'template'],
  'apps/v1/deployments': ['spec', 'template'],
  'apps/v1/replicasets': ['spec', 'template'],
  'apps/v1/statefulsets': ['spec', 'template'],
  'batch/v1/cronjobs': ['spec', 'jobTemplate', 'spec', 'template'],
  'batch/v1/jobs': ['spec', 'template'],
};

const checkedScopes: ReadonlySet<string> = new Set(['', 'ephemeralcontainers', 'resize']);

/** The stores that the plugin reads. */
export interface PodSecurityStores {
  readonly namespaces: ResourceStore;
  readonly pods: ResourceStore;
}

/** Enforces the Pod Security Standards that the labels of a namespace request. */
export function podSecurity(stores: PodSecurityStores): AdmissionPlugin {
  return {
    validate(request) {
      if (writes(request, '', 'namespaces')) validateNamespace(request, stores.pods);
      else if (request.resource.id === 'v1/pods') validatePod(request, stores.namespaces);
      else validateTemplate(request, stores.namespaces);
    },
  };
}

function validateNamespace(request: AdmissionRequest, pods: ResourceStore): void {
  const { object, old } = request;
  const next = policyOf(object.metadata.labels);
  const before = old && policyOf(old.metadata.labels);
  const isNews = JSON.stringify(next.causes) !== JSON.stringify(before?.causes ?? []);
  if (next.causes.length > 0 && isNews) {
    throw invalid(request.resource.subject(object.metadata.name ?? ''), next.causes);
  }
  if (before === undefined || showLevel(next.enforce) === showLevel(before.enforce)) return;
  const isSameVersion = next.enforce.version === before.enforce.version;
  if (isSameVersion && !isStricter(next.enforce.level, before.enforce.level)) return;
  request.warnings.push(...namespaceWarnings(pods, object.metadata.name ?? '', next.enforce));
}

function validatePod(request: AdmissionRequest, namespaces: ResourceStore): void {
  const { object, old, scope } = request;
  if (!checkedScopes.has(scope)) return;
  if (old !== undefined && !isSignificant(specOf(object), specOf(old))) return;
  const pod = { annotations: object.metadata.annotations ?? {}, spec: specOf(object) };
  evaluate(request, namespaces, pod, true);
}

function validateTemplate(request: AdmissionRequest, namespaces: ResourceStore): void {
  const path = templates[request.resource.id];
  if (path === undefined || request.scope !== '') return;
  const template = path.reduce(objectAt, asJson(request.object));
  if (template.spec === undefined) return;
  const annotations = objectAt(objectAt(template, 'metadata'), 'annotations');
  const pod = { annotations: annotations as CheckedPod['annotations'], spec: specOf(template) };
  evaluate(request, namespaces, pod, false);
}

function evaluate(
  request: AdmissionRequest,
  namespaces: ResourceStore,
  pod: CheckedPod,
  enforces: boolean,
): void {
  const { namespace = '' } = request.object.metadata;
  const labels = namespaces.get(keyOfMetadata({ name: namespace }))?.metadata.labels;
  const { enforce, warn } = policyOf(labels);
  const forbidden = enforces ? violationsOf(pod, enforce) : [];
  if (forbidden.length > 0) {
    const why = showViolations(forbidden);
    throw refused(request, `violates PodSecurity "${showLevel(enforce)}": ${why}`);
  }
  const violations = violationsOf(pod, warn);
  if (violations.length === 0) return;
  const text = `would violate PodSecurity "${showLevel(warn)}": ${showViolations(violations)}`;
  request.warnings.push(text);
}

function specOf(object: ApiObject | JsonObject): JsonObject {
  return objectAt(asJson(object), 'spec');
}

/** True if an update changes an image or adds a container; other mutable fields of a pod are not checked. */
function isSignificant(next: JsonObject, before: JsonObject): boolean {
  const counts = ['containers', 'initContainers'].some(
    (member) => objectsAt(next, member).length !== objectsAt(before, member).length,
  );
  const images = new Map(
    containersOf(before).map((each) => [textAt(each, 'name'), textAt(each, 'image')]),
  );
  return (
    counts ||
    containersOf(next).some((each) => images.get(textAt(each, 'name')) !== textAt(each, 'image'))
  );
}
