import type { ApiObject } from '../storage/api-object.ts';

/** Converts between one served version of a kind and its storage version. */
export interface Conversion {
  /** Both methods change the given object in place. It has no `apiVersion` or `kind`. */
  toStored(object: ApiObject): ApiObject;
  fromStored(object: ApiObject): ApiObject;
}

/** Converts `events.k8s.io/v1` from and to the stored core Event, which has other field names. */
export const eventConversion: Conversion = {
  toStored: (object) => renamed(object, eventNames),
  fromStored(object) {
    const event = renamed(object, storedEventNames);
    // Only the core type writes these fields when they are empty.
    for (const member of ['reportingController', 'reportingInstance']) {
      if (event[member] === '') delete event[member];
    }
    return event;
  },
};

const eventNames: ReadonlyMap<string, string> = new Map([
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
]);

const storedEventNames: ReadonlyMap<string, string> = new Map(
  [...eventNames].map(([served, stored]) => [stored, served]),
);

function renamed(object: ApiObject, names: ReadonlyMap<string, string>): ApiObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [names.get(name) ?? name, value]),
  ) as ApiObject;
}

/** Converts `autoscaling/v1` from and to the stored v2: v1 has one CPU target, v2 a list of metrics. */
export const autoscalerConversion: Conversion = {
  toStored(object) {
    const spec = record(object['spec']);
    const target = spec['targetCPUUtilizationPercentage'];
    delete spec['targetCPUUtilizationPercentage'];
    if (target !== undefined) spec['metrics'] = [cpuMetric({ averageUtilization: target })];
    const status = record(object['status']);
    const current = status['currentCPUUtilizationPercentage'];
    delete status['currentCPUUtilizationPercentage'];
    if (current !== undefined) status['currentMetrics'] = [cpuStatus(current)];
    return object;
  },
  fromStored(object) {
    const spec = record(object['spec']);
    const target = cpuUtilization(spec['metrics'], 'target');
    delete spec['metrics'];
    delete spec['behavior'];
    if (target !== undefined) spec['targetCPUUtilizationPercentage'] = target;
    const status = record(object['status']);
    const current = cpuUtilization(status['currentMetrics'], 'current');
    delete status['currentMetrics'];
    delete status['conditions'];
    if (current !== undefined) status['currentCPUUtilizationPercentage'] = current;
    return object;
  },
};

function cpuMetric(target: object): object {
  return {
    type: 'Resource',
    resource: { name: 'cpu', target: { type: 'Utilization', ...target } },
  };
}

function cpuStatus(current: unknown): object {
  return { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: current } } };
}

function cpuUtilization(metrics: unknown, member: 'target' | 'current'): unknown {
  if (!Array.isArray(metrics)) return undefined;
  const resources = metrics.map((metric) => record(record(metric)['resource']));
  const cpu = resources.find((resource) => resource['name'] === 'cpu');
  return cpu && record(cpu[member])['averageUtilization'];
}

/** The value if it is an object, else a new empty object. */
function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
