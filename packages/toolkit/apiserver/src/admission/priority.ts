import { ensureObject, textAt } from '../json/json-members.ts';
import { asJson, type JsonObject } from '@keelson/structural-schema';
import type { ResourceStore } from '../storage/resource-store.ts';
import {
  type AdmissionPlugin,
  type AdmissionRequest,
  refused,
  refusedUnnamed,
  writes,
} from './admission-plugin.ts';

interface PriorityClass {
  readonly metadata: { readonly name?: string };
  readonly value?: number;
  readonly globalDefault?: boolean;
  readonly preemptionPolicy?: string;
}

/** Resolves the priority class of new pods, and rejects a second default class. */
export function priority(priorityClasses: ResourceStore): AdmissionPlugin {
  return {
    mutate(request) {
      if (!writes(request, '', 'pods')) return;
      if (request.old === undefined) resolve(request, priorityClasses);
      else keep(ensureObject(asJson(request.object), 'spec'), asJson(request.old));
    },
    validate(request) {
      if (!writes(request, 'scheduling.k8s.io', 'priorityclasses')) return;
      if (asJson(request.object).globalDefault === true) checkUnique(request, priorityClasses);
    },
  };
}

function resolve(request: AdmissionRequest, classes: ResourceStore): void {
  const spec = ensureObject(asJson(request.object), 'spec');
  const { metadata, value = 0, preemptionPolicy } = classOf(request, spec, classes);
  if (metadata.name !== undefined) spec.priorityClassName = metadata.name;
  if (spec.priority !== undefined && spec.priority !== value) {
    throw refusedUnnamed(
      request,
      `the integer value of priority (${JSON.stringify(spec.priority)}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
    );
  }
  spec.priority = value;
  if (preemptionPolicy === undefined) return;
  const given = textAt(spec, 'preemptionPolicy', preemptionPolicy);
  if (given !== preemptionPolicy) {
    throw refusedUnnamed(
      request,
      `the string value of PreemptionPolicy (${given}) must not be provided in pod spec; priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`,
    );
  }
  spec.preemptionPolicy = preemptionPolicy;
}

function classOf(
  request: AdmissionRequest,
  spec: JsonObject,
  classes: ResourceStore,
): PriorityClass {
  const name = textAt(spec, 'priorityClassName');
  const all = parsed(classes);
  if (name === '')
    return defaultOf(all) ?? { metadata: {}, preemptionPolicy: 'PreemptLowerPriority' };
  const found = all.find(({ metadata }) => metadata.name === name);
  if (found === undefined)
    throw refusedUnnamed(request, `no PriorityClass with name ${name} was found`);
  return found;
}

function parsed(classes: ResourceStore): PriorityClass[] {
  return [...classes.values()].map((stored) => stored.parse());
}

function defaultOf(classes: readonly PriorityClass[]): PriorityClass | undefined {
  const defaults = classes.filter(({ globalDefault }) => globalDefault === true);
  return defaults.toSorted((one, other) => (one.value ?? 0) - (other.value ?? 0))[0];
}

function keep(spec: JsonObject, old: JsonObject): void {
  const before = ensureObject(old, 'spec');
  for (const name of ['priority', 'preemptionPolicy']) {
    const value = before[name];
    if (spec[name] === undefined && value !== undefined) spec[name] = value;
  }
}

function checkUnique(request: AdmissionRequest, classes: ResourceStore): void {
  const { name } = defaultOf(parsed(classes))?.metadata ?? {};
  if (name === undefined) return;
  if (request.old !== undefined && name === request.object.metadata.name) return;
  throw refused(
    request,
    `PriorityClass ${name} is already marked as default. Only one default can exist`,
  );
}
