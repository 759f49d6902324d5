import type { ApiObject } from '../storage/api-object.ts';

/** How one served version of a kind differs from the form in which the kind is stored. */
export interface Conversion {
  /** Both change the object they are given, which has neither `apiVersion` nor `kind` to mind. */
  toStored(object: ApiObject): ApiObject;
  fromStored(object: ApiObject): ApiObject;
}

/** `events.k8s.io/v1` over the stored core Event: the same facts under other names. */
export const eventConversion: Conversion = {
  toStored: (object) => renamed(object, eventNames),
  fromStored(object) {
    const event = renamed(object, storedEventNames);
    // The core type writes these when they are empty, this one does not.
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

/** `autoscaling/v1` over the stored v2: one CPU target outside, metrics inside. */
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

/** The value itself if it is an object, else an empty one that belongs to nobody. */
function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
