import {
  ageColumn,
  column,
  at,
  listAt,
  nameColumn,
  numberAt,
  orNone,
  textAt,
  type Column,
  type Fields,
} from './column.ts';
import { ageOf, humanDuration } from './human-duration.ts';
import { podCells } from './pod-cells.ts';
import { formatLabels, formatSelector } from './selector-text.ts';

const template = ['spec', 'template', 'spec'] as const;

function each(object: Fields, path: readonly string[], member: string): string {
  return listAt(object, ...path, 'containers')
    .map((container) => textAt(container, [member]))
    .join(',');
}

const containerColumns: readonly Column[] = [
  column('Containers', (object) => each(object, template, 'name')),
  column('Images', (object) => each(object, template, 'image')),
];

const selectorColumn: Column = column('Selector', (object) =>
  formatSelector(at(object, 'spec', 'selector')),
);

function status(object: Fields, member: string): number {
  return numberAt(object, ['status', member]);
}

function desired(object: Fields, otherwise = 0): number {
  return numberAt(object, ['spec', 'replicas'], otherwise);
}

const replicaColumns: readonly Column[] = [
  nameColumn,
  column('Desired', (object) => desired(object)),
  column('Current', (object) => status(object, 'replicas')),
  column('Ready', (object) => status(object, 'readyReplicas')),
  ageColumn,
  ...containerColumns,
  selectorColumn,
];

function jobStatus(job: Fields): string {
  const conditions = listAt(job, 'status', 'conditions').filter(
    (condition) => at(condition, 'status') === 'True',
  );
  const types = new Set(conditions.map((condition) => at(condition, 'type')));
  if (types.has('Complete')) return 'Complete';
  if (types.has('Failed')) return 'Failed';
  if (job.metadata?.deletionTimestamp !== undefined) return 'Terminating';
  if (types.has('Suspended')) return 'Suspended';
  return types.has('FailureTarget') ? 'FailureTarget' : 'Running';
}

function completions(job: Fields): string {
  const wanted = textAt(job, ['spec', 'completions']);
  const succeeded = status(job, 'succeeded');
  if (wanted !== '') return `${succeeded}/${wanted}`;
  const parallelism = numberAt(job, ['spec', 'parallelism'], 1);
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: Fields, now: number): string {
  const from = textAt(job, ['status', 'startTime']);
  if (from === '') return '';
  const until = textAt(job, ['status', 'completionTime']);
  if (until === '') return ageOf(from, now);
  return humanDuration((Date.parse(until) - Date.parse(from)) / 1000);
}

const cronTemplate = ['spec', 'jobTemplate', ...template] as const;

/** Columns of pods and of the kinds that create pods. */
export const workloadColumns: Readonly<Record<string, readonly Column[]>> = {
  'v1/pods': [
    nameColumn,
    column('Ready', (pod, now) => podCells(pod, now).ready),
    column('Status', (pod, now) => podCells(pod, now).status),
    column('Restarts', (pod, now) => podCells(pod, now).restarts),
    ageColumn,
    column('IP', (pod) => orNone(textAt(pod, ['status', 'podIP']))),
    column('Node', (pod) => orNone(textAt(pod, ['spec', 'nodeName']))),
    column('Nominated Node', (pod) => orNone(textAt(pod, ['status', 'nominatedNodeName']))),
    column('Readiness Gates', (pod) => {
      const gates = listAt(pod, 'spec', 'readinessGates').map((gate) =>
        textAt(gate, ['conditionType']),
      );
      const held = listAt(pod, 'status', 'conditions').filter(
        (condition) =>
          gates.includes(textAt(condition, ['type'])) && at(condition, 'status') === 'True',
      );
      return gates.length === 0 ? '<none>' : `${held.length}/${gates.length}`;
    }),
  ],
  'v1/podtemplates': [
    nameColumn,
    column('Containers', (object) => each(object, ['template', 'spec'], 'name')),
    column('Images', (object) => each(object, ['template', 'spec'], 'image')),
    column('Pod Labels', (object) => formatLabels(at(object, 'template', 'metadata', 'labels'))),
  ],
  'v1/replicationcontrollers': replicaColumns,
  'apps/v1/replicasets': replicaColumns,
  'apps/v1/deployments': [
    nameColumn,
    column('Ready', (object) => `${status(object, 'readyReplicas')}/${desired(object)}`),
    column('Up-to-date', (object) => status(object, 'updatedReplicas')),
    column('Available', (object) => status(object, 'availableReplicas')),
    ageColumn,
    ...containerColumns,
    selectorColumn,
  ],
  'apps/v1/statefulsets': [
    nameColumn,
    column('Ready', (object) => `${status(object, 'readyReplicas')}/${desired(object)}`),
    ageColumn,
    ...containerColumns,
  ],
  'apps/v1/daemonsets': [
    nameColumn,
    column('Desired', (object) => status(object, 'desiredNumberScheduled')),
    column('Current', (object) => status(object, 'currentNumberScheduled')),
    column('Ready', (object) => status(object, 'numberReady')),
    column('Up-to-date', (object) => status(object, 'updatedNumberScheduled')),
    column('Available', (object) => status(object, 'numberAvailable')),
    column('Node Selector', (object) => formatLabels(at(object, ...template, 'nodeSelector'))),
    ageColumn,
    ...containerColumns,
    selectorColumn,
  ],
  'apps/v1/controllerrevisions': [
    nameColumn,
    column('Controller', (object) => controllerText(object)),
    column('Revision', (object) => numberAt(object, ['revision'])),
    ageColumn,
  ],
  'batch/v1/jobs': [
    nameColumn,
    column('Status', jobStatus),
    column('Completions', completions),
    column('Duration', jobDuration),
    ageColumn,
    ...containerColumns,
    selectorColumn,
  ],
  'batch/v1/cronjobs': [
    nameColumn,
    column('Schedule', (object) => textAt(object, ['spec', 'schedule'])),
    column('Timezone', (object) => orNone(textAt(object, ['spec', 'timeZone']))),
    column('Suspend', (object) => (at(object, 'spec', 'suspend') === true ? 'True' : 'False')),
    column('Active', (object) => listAt(object, 'status', 'active').length),
    column('Last Schedule', (object, now) => {
      const last = textAt(object, ['status', 'lastScheduleTime']);
      return last === '' ? '<none>' : ageOf(last, now);
    }),
    ageColumn,
    column('Containers', (object) => each(object, cronTemplate, 'name')),
    column('Images', (object) => each(object, cronTemplate, 'image')),
    column('Selector', (object) =>
      formatSelector(at(object, 'spec', 'jobTemplate', 'spec', 'selector')),
    ),
  ],
};

function controllerText(object: Fields): string {
  const owner = object.metadata?.ownerReferences?.find((reference) => reference.controller);
  if (owner === undefined) return '<none>';
  const [group = '', version] = owner.apiVersion.split('/');
  const kind = owner.kind.toLowerCase();
  return version === undefined ? `${kind}/${owner.name}` : `${kind}.${group}/${owner.name}`;
}
