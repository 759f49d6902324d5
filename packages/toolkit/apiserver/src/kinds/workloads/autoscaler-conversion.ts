import { isJsonObject, type JsonObject, type JsonValue } from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';

import type { ApiObject } from '../../storage/api-object.ts';

const prefix = 'autoscaling.alpha.kubernetes.io';
/** The annotations of an `autoscaling/v1` object for the parts that only v2 has. */
const annotations = {
  metrics: `${prefix}/metrics`,
  currentMetrics: `${prefix}/current-metrics`,
  conditions: `${prefix}/conditions`,
  behavior: `${prefix}/behavior`,
} as const;

/** The CPU target of an autoscaler without metrics, in percent. */
const DEFAULT_CPU_PERCENT = 80;

/** Sets the CPU target of an `autoscaling/v1` object that has no metric. */
export function setDefaultTarget(autoscaler: JsonObject): void {
  const spec = objectAt(autoscaler, 'spec');
  const held = objectAt(objectAt(autoscaler, 'metadata'), 'annotations');
  const others = parsed(held, 'metrics');
  if (Array.isArray(others) && others.length > 0) return;
  if (isJsonObject(autoscaler.spec)) spec.targetCPUUtilizationPercentage ??= DEFAULT_CPU_PERCENT;
}

/**
 * Converts `autoscaling/v1` to the stored v2, in place. Version 1 has one CPU target; everything else of v2 is in
 * annotations, so that a client of v1 keeps it.
 */
export function autoscalerToStored(object: ApiObject): ApiObject {
  const autoscaler = object as unknown as JsonObject;
  const [spec, status] = [membersOf(autoscaler, 'spec'), membersOf(autoscaler, 'status')];
  const held = objectAt(objectAt(autoscaler, 'metadata'), 'annotations');
  const target = taken(spec, 'targetCPUUtilizationPercentage');
  const others = parsed(held, 'metrics');
  const metrics = [
    ...(Array.isArray(others) ? others.filter(isJsonObject).map(metricToStored) : []),
    ...(target === undefined ? [] : [cpuMetric(target)]),
  ];
  if (metrics.length > 0) spec.metrics = metrics;
  const behavior = parsed(held, 'behavior');
  if (isJsonObject(behavior)) spec.behavior = withNames(behavior, lowerFirst) as JsonObject;
  const current = taken(status, 'currentCPUUtilizationPercentage');
  if (current !== undefined) status.currentMetrics = [cpuStatus(current)];
  const statuses = parsed(held, 'currentMetrics');
  if (Array.isArray(statuses)) {
    status.currentMetrics = statuses.filter(isJsonObject).map(statusToStored);
  }
  const conditions = parsed(held, 'conditions');
  if (Array.isArray(conditions)) status.conditions = conditions;
  if (isJsonObject(autoscaler.status)) {
    // Version 2 always has the one member, and version 1 the other.
    status.currentMetrics ??= null;
    if (status.currentReplicas === 0) delete status.currentReplicas;
  }
  dropAnnotations(autoscaler);
  return object;
}

/** Converts the stored v2 to `autoscaling/v1`, see `autoscalerToStored`. */
export function autoscalerFromStored(object: ApiObject): ApiObject {
  const autoscaler = object as unknown as JsonObject;
  const [spec, status] = [membersOf(autoscaler, 'spec'), membersOf(autoscaler, 'status')];
  dropAnnotations(autoscaler);
  const metrics = objectsAt(spec, 'metrics');
  const cpu = metrics.find(isCpuTarget);
  if (cpu !== undefined) {
    spec.targetCPUUtilizationPercentage = targetOf(cpu).averageUtilization as JsonValue;
  }
  const others = metrics.filter((metric) => !isCpuTarget(metric));
  const statuses = objectsAt(status, 'currentMetrics');
  const used = statuses
    .map((each) => objectAt(each, 'resource'))
    .find((resource) => textAt(resource, 'name') === 'cpu');
  const percent = used && objectAt(used, 'current').averageUtilization;
  if (percent !== undefined) status.currentCPUUtilizationPercentage = percent;
  keep(autoscaler, 'metrics', others.map(metricFromStored));
  keep(autoscaler, 'currentMetrics', statuses.map(statusFromStored));
  keep(autoscaler, 'conditions', objectsAt(status, 'conditions'));
  if (isJsonObject(spec.behavior)) {
    keep(autoscaler, 'behavior', [withNames(spec.behavior, upperFirst)]);
  }
  for (const name of ['metrics', 'behavior']) delete spec[name];
  for (const name of ['currentMetrics', 'conditions']) delete status[name];
  if (isJsonObject(autoscaler.status)) status.currentReplicas ??= 0;
  return object;
}

function membersOf(object: JsonObject, name: string): JsonObject {
  return objectAt(object, name);
}

function taken(object: JsonObject, name: string): JsonValue | undefined {
  const value = object[name];
  delete object[name];
  return value;
}

function parsed(held: JsonObject, name: keyof typeof annotations): JsonValue | undefined {
  const text = held[annotations[name]];
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // kube-apiserver ignores an annotation that it cannot read.
    return undefined;
  }
}

/** Writes the parts into an annotation, as one value for the behavior. */
function keep(
  autoscaler: JsonObject,
  name: keyof typeof annotations,
  parts: readonly JsonValue[],
): void {
  if (parts.length === 0) return;
  const metadata = objectAt(autoscaler, 'metadata');
  const held = objectAt(metadata, 'annotations');
  held[annotations[name]] = JSON.stringify(name === 'behavior' ? parts[0] : parts);
  metadata.annotations = held;
}

function dropAnnotations(autoscaler: JsonObject): void {
  const metadata = objectAt(autoscaler, 'metadata');
  if (!isJsonObject(metadata.annotations)) return;
  const names: readonly string[] = Object.values(annotations);
  const own = Object.entries(metadata.annotations).filter(([name]) => !names.includes(name));
  if (own.length > 0) metadata.annotations = Object.fromEntries(own);
  else delete metadata.annotations;
}

function cpuMetric(target: JsonValue): JsonObject {
  return {
    type: 'Resource',
    resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: target } },
  };
}

function cpuStatus(current: JsonValue): JsonObject {
  return { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: current } } };
}

function targetOf(metric: JsonObject): JsonObject {
  return objectAt(objectAt(metric, 'resource'), 'target');
}

function isCpuTarget(metric: JsonObject): boolean {
  const isCpu = textAt(objectAt(metric, 'resource'), 'name') === 'cpu';
  return metric.type === 'Resource' && isCpu && targetOf(metric).averageUtilization !== undefined;
}

/** The member of a metric that holds its source, by the type of the metric. */
const sourceNames: ReadonlyMap<string, string> = new Map([
  ['Object', 'object'],
  ['Pods', 'pods'],
  ['Resource', 'resource'],
  ['ContainerResource', 'containerResource'],
  ['External', 'external'],
]);

interface Names {
  /** The member of v2 with the values. */
  readonly values: 'target' | 'current';
  /** The names of v1 for the members `value`, `averageValue` and `averageUtilization` of v2. */
  readonly value: string;
  readonly average: string;
  readonly utilization: string;
}

const targetNames: Names = {
  values: 'target',
  value: 'targetValue',
  average: 'targetAverageValue',
  utilization: 'targetAverageUtilization',
};
const statusNames: Names = {
  values: 'current',
  value: 'currentValue',
  average: 'currentAverageValue',
  utilization: 'currentAverageUtilization',
};

function metricFromStored(metric: JsonObject): JsonObject {
  return fromStored(metric, targetNames);
}

function statusFromStored(metric: JsonObject): JsonObject {
  return fromStored(metric, statusNames);
}

function metricToStored(metric: JsonObject): JsonObject {
  return toStored(metric, targetNames);
}

function statusToStored(metric: JsonObject): JsonObject {
  return toStored(metric, statusNames);
}

function fromStored(metric: JsonObject, names: Names): JsonObject {
  const type = textAt(metric, 'type');
  const name = sourceNames.get(type) ?? '';
  const source = objectAt(metric, name);
  const values = objectAt(source, names.values);
  const named = objectAt(source, 'metric');
  const average = type === 'Object' ? 'averageValue' : names.average;
  const selector = type === 'External' ? 'metricSelector' : 'selector';
  return {
    type,
    [name]: withoutUndefined({
      target: source.describedObject,
      name: source.name,
      container: source.container,
      metricName: named.name,
      [names.value]: type === 'Object' ? (values.value ?? '0') : values.value,
      [selector]: named.selector,
      [names.utilization]: values.averageUtilization,
      [average]: values.averageValue,
    }),
  };
}

function toStored(metric: JsonObject, names: Names): JsonObject {
  const type = textAt(metric, 'type');
  const name = sourceNames.get(type) ?? '';
  const source = objectAt(metric, name);
  const average = type === 'Object' ? source.averageValue : source[names.average];
  const value = type === 'Object' && average !== undefined ? undefined : source[names.value];
  const utilization = source[names.utilization];
  const values = withoutUndefined({
    ...(names.values === 'target' && { type: targetType(average, utilization) }),
    value,
    averageValue: average,
    averageUtilization: utilization,
  });
  return {
    type,
    [name]: withoutUndefined({
      describedObject: source.target,
      name: source.name,
      container: source.container,
      metric:
        source.metricName === undefined
          ? undefined
          : withoutUndefined({
              name: source.metricName,
              selector: type === 'External' ? source.metricSelector : source.selector,
            }),
      [names.values]: values,
    }),
  };
}

function targetType(average: JsonValue | undefined, utilization: JsonValue | undefined): string {
  if (utilization !== undefined) return 'Utilization';
  return average === undefined ? 'Value' : 'AverageValue';
}

function withoutUndefined(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as JsonObject;
}

/** Renames every member, because the annotation has the names of Go's fields. */
function withNames(value: JsonValue, rename: (name: string) => string): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withNames(item, rename));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, held]) => held !== null)
      .map(([name, held]) => [rename(name), withNames(held, rename)]),
  );
}

function lowerFirst(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

function upperFirst(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
