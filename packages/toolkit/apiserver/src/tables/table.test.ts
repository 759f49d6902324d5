import { describe, expect, test } from '@jest/globals';
import { resourceId } from '@keelson/apimachinery';
import { builtinResources } from '../kinds/builtin-resources.ts';
import { customColumns } from './custom-columns.ts';
import { builtinColumns, tableOf, type Table } from './table.ts';
import { newestVersion } from '../releases/kubernetes-version.ts';

const apiVersion = 'meta.k8s.io/v1';
const now = Date.parse('2026-01-01T00:05:00Z');
const metadata = { name: 'web', namespace: 'shop', creationTimestamp: '2026-01-01T00:00:00Z' };

function print(id: string, object: object): Record<string, unknown> {
  const table = tableOf({
    apiVersion,
    columns: builtinColumns(id),
    objects: [{ metadata, ...object }],
    metadata: {},
    includeObject: 'Metadata',
    now,
  });
  const cells = table.rows?.[0]?.cells ?? [];
  return Object.fromEntries(
    (table.columnDefinitions ?? []).map(({ name }, index) => [name, cells[index]]),
  );
}

describe('tables of built-in kinds', () => {
  test('a Deployment has its wide columns', () => {
    const spec = {
      replicas: 3,
      selector: {
        matchLabels: { app: 'web' },
        matchExpressions: [{ key: 'tier', operator: 'Exists' }],
      },
      template: {
        spec: {
          containers: [
            { name: 'a', image: 'x:1' },
            { name: 'b', image: 'y:2' },
          ],
        },
      },
    };
    const status = { readyReplicas: 2, updatedReplicas: 3, availableReplicas: 1 };
    expect(print('apps/v1/deployments', { spec, status })).toEqual({
      Name: 'web',
      Ready: '2/3',
      'Up-to-date': 3,
      Available: 1,
      Age: '5m',
      Containers: 'a,b',
      Images: 'x:1,y:2',
      Selector: 'app=web,tier',
    });
  });

  test.each([
    [
      'running',
      { phase: 'Running', containerStatuses: [{ ready: true, state: { running: {} } }] },
      'Running',
      '1/1',
    ],
    ['pending', { phase: 'Pending' }, 'Pending', '0/1'],
    [
      'crashing',
      {
        phase: 'Running',
        containerStatuses: [{ state: { waiting: { reason: 'CrashLoopBackOff' } } }],
      },
      'CrashLoopBackOff',
      '0/1',
    ],
    [
      'terminated by a signal',
      { phase: 'Failed', containerStatuses: [{ state: { terminated: { signal: 9 } } }] },
      'Signal:9',
      '0/1',
    ],
  ])('a Pod that is %s has the cells of kubectl', (_, status, shown, ready) => {
    const pod = { spec: { containers: [{ name: 'a' }] }, status };
    expect(print('v1/pods', pod)).toMatchObject({ Ready: ready, Status: shown, Restarts: '0' });
  });

  test('a Pod shows restarts, initialization and deletion', () => {
    const lastState = { terminated: { finishedAt: '2026-01-01T00:04:00Z' } };
    const statuses = [{ restartCount: 2, lastState, ready: true, state: { running: {} } }];
    expect(
      print('v1/pods', { status: { phase: 'Running', containerStatuses: statuses } }),
    ).toMatchObject({ Restarts: '2 (60s ago)' });
    const initializing = {
      spec: { initContainers: [{}, {}] },
      status: {
        initContainerStatuses: [
          { state: { terminated: { exitCode: 0 } } },
          { state: { running: {} } },
        ],
      },
    };
    expect(print('v1/pods', initializing)).toMatchObject({ Status: 'Init:1/2' });
    const deleted = {
      metadata: { ...metadata, deletionTimestamp: 'x' },
      status: { phase: 'Running' },
    };
    expect(print('v1/pods', deleted)).toMatchObject({ Status: 'Terminating' });
  });

  test('a Service shows ports with node ports, and a pending address', () => {
    const spec = {
      type: 'LoadBalancer',
      clusterIP: '10.0.0.7',
      ports: [
        { port: 80, nodePort: 30_080, protocol: 'TCP' },
        { port: 53, protocol: 'UDP' },
      ],
      selector: { app: 'web' },
    };
    expect(print('v1/services', { spec })).toMatchObject({
      Type: 'LoadBalancer',
      'Cluster-IP': '10.0.0.7',
      'External-IP': '<pending>',
      'Port(s)': '80:30080/TCP,53/UDP',
      Selector: 'app=web',
    });
  });

  test.each([
    ['v1/configmaps', { data: { a: '1' }, binaryData: { b: '' } }, { Data: 2 }],
    ['v1/secrets', { type: 'Opaque', data: { a: '' } }, { Type: 'Opaque', Data: 1 }],
    ['v1/namespaces', { status: { phase: 'Active' } }, { Status: 'Active' }],
    [
      'batch/v1/jobs',
      { spec: { completions: 2 }, status: { succeeded: 1, startTime: '2026-01-01T00:04:00Z' } },
      { Status: 'Running', Completions: '1/2', Duration: '60s' },
    ],
    [
      'batch/v1/cronjobs',
      { spec: { schedule: '* * * * *', suspend: false } },
      {
        Schedule: '* * * * *',
        Timezone: '<none>',
        Suspend: 'False',
        Active: 0,
        'Last Schedule': '<none>',
      },
    ],
    [
      'v1/events',
      {
        lastTimestamp: '2026-01-01T00:04:00Z',
        type: 'Normal',
        reason: 'Made',
        message: 'made it ',
        involvedObject: { kind: 'Pod', name: 'p' },
      },
      {
        'Last Seen': '60s',
        Type: 'Normal',
        Reason: 'Made',
        Object: 'pod/p',
        Message: 'made it',
        Count: 1,
      },
    ],
    [
      'networking.k8s.io/v1/ingresses',
      { spec: { rules: [{ host: 'a' }, { host: 'b' }], tls: [{}] } },
      { Class: '<none>', Hosts: 'a,b', Ports: '80, 443' },
    ],
    [
      'autoscaling/v2/horizontalpodautoscalers',
      {
        spec: {
          scaleTargetRef: { kind: 'Deployment', name: 'web' },
          minReplicas: 1,
          maxReplicas: 4,
          metrics: [
            { type: 'Resource', resource: { name: 'cpu', target: { averageUtilization: 80 } } },
          ],
        },
      },
      {
        Reference: 'Deployment/web',
        Targets: 'cpu: <unknown>/80%',
        MinPods: '1',
        MaxPods: 4,
        Replicas: 0,
      },
    ],
    [
      'rbac.authorization.k8s.io/v1/rolebindings',
      { roleRef: { kind: 'Role', name: 'r' }, subjects: [{ kind: 'User', name: 'u' }] },
      { Role: 'Role/r', Users: 'u', Groups: '', ServiceAccounts: '' },
    ],
    ['coordination.k8s.io/v1/leases', { spec: { holderIdentity: 'me' } }, { Holder: 'me' }],
    ['rbac.authorization.k8s.io/v1/roles', {}, { 'Created At': '2026-01-01T00:00:00Z' }],
  ])('%s', (id, object, expected) => {
    expect(print(id, object)).toMatchObject(expected);
  });
});

describe('tableOf', () => {
  test('leaves the annotation of an internal field out of the rows of DaemonSets', () => {
    const rowsOf = (id: string): unknown => {
      const annotations = { 'deprecated.daemonset.template.generation': '1' };
      const objects = [{ metadata: { ...metadata, annotations } }];
      const options = { apiVersion, objects, metadata: {}, now } as const;
      const { rows } = tableOf({
        ...options,
        columns: builtinColumns(id),
        includeObject: 'Metadata',
      });
      return rows?.[0]?.object;
    };
    expect(rowsOf('apps/v1/daemonsets')).toMatchObject({ metadata });
    expect(rowsOf('apps/v1/daemonsets')).not.toHaveProperty('metadata.annotations');
    expect(rowsOf('apps/v1/deployments')).toHaveProperty('metadata.annotations');
  });

  const columns = customColumns([
    { name: 'Size', type: 'integer', jsonPath: '.spec.size', priority: 1 },
    { name: 'Ready', type: 'string', jsonPath: '.status.ready' },
    { name: 'Since', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ]);
  const objects = [{ metadata, spec: { size: 4 }, status: { ready: true } }];
  const table = (more: object): Table =>
    tableOf({
      apiVersion,
      columns,
      objects,
      metadata: { resourceVersion: '7' },
      includeObject: 'None',
      now,
      ...more,
    });

  test('a custom resource has the printer columns of its CRD', () => {
    const { columnDefinitions, rows } = table({});
    expect(columnDefinitions?.map(({ name, priority }) => [name, priority])).toEqual([
      ['Name', 0],
      ['Size', 1],
      ['Ready', 0],
      ['Since', 0],
    ]);
    expect(rows).toEqual([{ cells: ['web', 4, 'true', '5m'], object: null }]);
  });

  test('a custom resource without printer columns has name and age', () => {
    const { columns: usual, definitions } = customColumns(undefined);
    expect(usual.map(({ name }) => name)).toEqual(['Name', 'Age']);
    expect(definitions().map(({ name, type }) => [name, type])).toEqual([
      ['Name', 'string'],
      ['Age', 'date'],
    ]);
  });

  test('an invalid date is shown as <invalid>', () => {
    const { columns: dates } = customColumns([
      { name: 'When', type: 'date', jsonPath: '.spec.when' },
    ]);
    expect(dates[1]?.cell({ spec: { when: 'tomorrow' } }, now)).toBe('<invalid>');
  });

  test('an empty table of a kind without printer has rows null', () => {
    const empty = { apiVersion, objects: [], metadata: {}, includeObject: 'None', now } as const;
    expect(tableOf({ columns: builtinColumns('v1/limitranges'), ...empty }).rows).toBeNull();
    expect(tableOf({ columns: builtinColumns('v1/pods'), ...empty }).rows).toEqual([]);
  });

  test('every built-in kind has the recorded columns and a cell for each', () => {
    const kinds = builtinResources(newestVersion).filter(({ verbs }) => verbs.includes('list'));
    expect(kinds.length).toBeGreaterThan(50);
    for (const kind of kinds) {
      const id = resourceId(kind);
      const { columns: made, definitions } = builtinColumns(id);
      expect([id, made.map(({ name }) => name)]).toEqual([
        id,
        definitions().map(({ name }) => name),
      ]);
    }
  });

  test('a row includes the requested part of its object', () => {
    expect(table({ includeObject: 'Metadata' }).rows?.[0]?.object).toEqual({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata,
    });
    expect(table({ includeObject: 'Object' }).rows?.[0]?.object).toBe(objects[0]);
  });

  test('a table of the former version has rows with metadata of that version', () => {
    const former = { apiVersion: 'meta.k8s.io/v1beta1' };
    expect(table({ ...former, includeObject: 'Metadata' })).toMatchObject({
      ...former,
      rows: [{ object: former }],
    });
  });

  test('later rows of a watch have no column definitions', () => {
    expect(table({ withDefinitions: false }).columnDefinitions).toBeNull();
  });
});
