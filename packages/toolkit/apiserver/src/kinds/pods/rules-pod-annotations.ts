import type { StatusCause } from '@keelson/apimachinery';
import {
  childPath,
  type FieldPath,
  forbidden,
  invalid,
  type JsonObject,
  keyPath,
} from '@keelson/structural-schema';
import { objectAt, textAt } from '../../json/json-members.ts';
import { jsonSyntaxError } from '../../json/json-syntax-error.ts';
import { validateLocalPath } from './rules-path.ts';
import { placedContainers } from './rules-windows.ts';

/** The prefix of the annotations that name the AppArmor profile of a container. */
export const appArmorPrefix = 'container.apparmor.security.beta.kubernetes.io/';
const seccompPrefix = 'container.seccomp.security.alpha.kubernetes.io/';
const seccompOfPod = 'seccomp.security.alpha.kubernetes.io/pod';
/** Marks a pod in the API that a kubelet has read from a file. */
const mirror = 'kubernetes.io/config.mirror';
const deletionCost = 'controller.kubernetes.io/pod-deletion-cost';
const tolerations = 'scheduler.alpha.kubernetes.io/tolerations';

/** Validates the annotations of a pod or template that Kubernetes itself reads. */
export function validatePodAnnotations(pod: JsonObject, path: FieldPath): StatusCause[] {
  const annotations = objectAt(objectAt(pod, 'metadata'), 'annotations');
  const spec = objectAt(pod, 'spec');
  const cost = textAt(annotations, deletionCost);
  const unbound = 'must set spec.nodeName if mirror pod annotation is set';
  return [
    ...(annotations[mirror] !== undefined && textAt(spec, 'nodeName') === ''
      ? [invalid(keyPath(path, mirror), annotations[mirror], unbound)]
      : []),
    ...validateTolerationText(textAt(annotations, tolerations), path),
    ...(annotations[deletionCost] === undefined || isInt32(cost)
      ? []
      : [invalid(keyPath(path, deletionCost), cost, 'must be a 32bit integer')]),
    ...Object.keys(annotations).flatMap((key) => {
      const value = textAt(annotations, key);
      if (key === seccompOfPod || key.startsWith(seccompPrefix)) {
        return validateSeccomp(value, childPath(path, key));
      }
      return key.startsWith(appArmorPrefix)
        ? validateAppArmor(value, keyPath(path, key), { spec, key })
        : [];
    }),
  ];
}

/** Validates a change of the annotations that must stay as they are. */
export function validateAnnotationChange(pod: JsonObject, old: JsonObject): StatusCause[] {
  const next = objectAt(objectAt(pod, 'metadata'), 'annotations');
  const before = objectAt(objectAt(old, 'metadata'), 'annotations');
  const path = 'metadata.annotations';
  return [
    ...Object.keys(before)
      .filter((key) => next[key] !== before[key])
      .flatMap((key) => fixed(key, path, 'remove or update')),
    ...Object.keys(next)
      .filter((key) => before[key] === undefined)
      .flatMap((key) => fixed(key, path, 'add')),
    ...validatePodAnnotations(pod, path),
  ];
}

function fixed(key: string, path: FieldPath, change: string): StatusCause[] {
  const field = keyPath(path, key);
  if (key.startsWith(appArmorPrefix)) {
    return [forbidden(field, `may not ${change} AppArmor annotations`)];
  }
  return key === mirror ? [forbidden(field, `may not ${change} mirror pod annotation`)] : [];
}

const MIN_INT32 = -(2 ** 31);
const MAX_INT32 = 2 ** 31 - 1;

function isInt32(text: string): boolean {
  const value = Number(text);
  return /^-?(?:0|[1-9]\d*)$/.test(text) && value >= MIN_INT32 && value <= MAX_INT32;
}

/** Former versions had tolerations here. kube-apiserver still decodes them. */
function validateTolerationText(text: string, path: FieldPath): StatusCause[] {
  const problem = text === '' ? undefined : syntaxProblem(text);
  return problem === undefined ? [] : [invalid(path, tolerations, problem)];
}

function syntaxProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return jsonSyntaxError(text);
  }
}

function validateSeccomp(profile: string, path: FieldPath): StatusCause[] {
  if (['runtime/default', 'docker/default', 'unconfined'].includes(profile)) return [];
  const local = 'localhost/';
  return profile.startsWith(local)
    ? validateLocalPath(profile.slice(local.length), path)
    : [invalid(path, profile, 'must be a valid seccomp profile')];
}

function validateAppArmor(
  profile: string,
  path: FieldPath,
  { spec, key }: { readonly spec: JsonObject; readonly key: string },
): StatusCause[] {
  const name = key.slice(appArmorPrefix.length);
  const isKnown = placedContainers(spec, '').some(([container]) => container.name === name);
  const isProfile = /^(?:|runtime\/default|unconfined|localhost\/.*)$/s.test(profile);
  const problem = `invalid AppArmor profile name: ${JSON.stringify(profile)}`;
  return [
    ...(isKnown ? [] : [invalid(path, name, 'container not found')]),
    ...(isProfile ? [] : [invalid(path, profile, problem)]),
  ];
}
