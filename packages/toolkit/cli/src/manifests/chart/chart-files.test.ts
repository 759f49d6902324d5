import { describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import { chartObjects, comparable } from '../chart-objects.test-support.ts';
import { generateManifests } from '../generate-manifests.ts';
import {
  kustomizeObjects,
  objectOf,
  objectsIn,
  projectWith,
  sourcesWith,
  webhookProject,
} from '../manifests.test-support.ts';
import { partsOf } from '../objects/operator-parts.ts';
import { operatorOf } from '../operator/operator.ts';

const files = generateManifests(webhookProject, sourcesWith());
const settings = Object.values(partsOf(operatorOf(webhookProject)).settings);

function textOf(path: string): string {
  return files.find((file) => file.path === `chart/${path}`)?.text ?? '';
}

describe('the chart', () => {
  test('with its defaults has the objects of the production overlay, apart from the namespace', () => {
    const production = kustomizeObjects(files, 'overlays/production');
    const expected = production.filter(({ kind }) => !/^(?:Namespace|Custom.*)$/.test(kind ?? ''));
    expect(comparable(chartObjects(files))).toEqual(comparable(expected));
  });

  test('with one replica has no PodDisruptionBudget', () => {
    const kinds = chartObjects(files, { values: { replicas: 1 } }).map(({ kind }) => kind);
    expect(kinds).toContain('Deployment');
    expect(kinds).not.toContain('PodDisruptionBudget');
  });

  test('has the ServiceMonitor of the component only if it is enabled', () => {
    const values = { metrics: { serviceMonitor: { enabled: true } } };
    const component = kustomizeObjects(files, 'components/service-monitor');
    const monitors = [chartObjects(files, { values }), component].map((objects) => {
      return comparable([objectOf(objects, 'ServiceMonitor')]);
    });
    expect(monitors[0]).toEqual(monitors[1]);
    expect(chartObjects(files).map(({ kind }) => kind)).not.toContain('ServiceMonitor');
  });

  test('with namespaces binds the roles in each of them, and only rules for cluster-scoped resources in the cluster', () => {
    const rules = [
      { apiGroups: ['web.example.com'], resources: ['websites'], verbs: ['get'] },
      { apiGroups: [''], resources: ['nodes', 'secrets'], verbs: ['list'] },
      { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
      { nonResourceURLs: ['/healthz'], verbs: ['get'] },
    ];
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    const role = { apiVersion, kind: 'ClusterRole', metadata: { name: 'website-operator' }, rules };
    const project = { ...webhookProject, watchNamespaces: ['shop', 'warehouse'] };
    const limited = generateManifests(project, sourcesWith({ clusterRoles: [role] }));
    const component = kustomizeObjects(limited, 'components/watch-namespaces');
    for (const objects of [chartObjects(limited), component]) {
      expect(objectOf(objects, 'ClusterRole', 'website-operator-cluster')).toMatchObject({
        rules: [{ ...rules[1], resources: ['nodes'] }, rules[2], rules[3]],
      });
      objectOf(objects, 'ClusterRoleBinding', 'website-operator-cluster');
      const bindings = objects.filter(
        ({ kind, metadata }) =>
          kind === 'RoleBinding' && metadata?.name === 'website-operator-watched',
      );
      expect(bindings.map(({ metadata }) => metadata?.namespace)).toEqual(['shop', 'warehouse']);
      for (const binding of bindings) {
        expect(binding).toMatchObject({
          roleRef: { kind: 'ClusterRole', name: 'website-operator' },
          subjects: [{ kind: 'ServiceAccount', namespace: 'websites', name: 'website-operator' }],
        });
      }
    }
    const names = chartObjects(limited).filter(({ kind }) => kind === 'ClusterRoleBinding');
    expect(names.map(({ metadata }) => metadata?.name)).not.toContain('website-operator');
    const patches = limited.find(
      ({ path }) => path === 'kustomize/components/watch-namespaces/kustomization.yaml',
    );
    expect(patches?.text).toContain('$patch: delete');
    expect(patches?.text).toContain('value: shop,warehouse');
  });

  test('moves every object and every reference to the namespace of the release', () => {
    const text = JSON.stringify(chartObjects(files, { namespace: 'moved' }));
    expect(text.replaceAll('"resources":["websites"]', '')).not.toMatch(/"websites["/]/);
    expect(text).toContain('"website-operator-webhook.moved.svc"');
    expect(text).toContain('"moved/website-operator-webhook"');
  });

  test('has the definitions where Helm installs them first, unchanged', () => {
    const [definition] = objectsIn([textOf('crds/websites.web.example.com.yaml')]);
    expect(definition).toEqual(sourcesWith().definitions[0]?.object);
  });
});

describe('a value of the chart', () => {
  /** Another value for each setting. */
  const others: Readonly<Record<string, unknown>> = {
    'image.repository': 'other.example/a',
    'image.tag': '0.0.9',
    'image.pullPolicy': 'Always',
    imagePullSecrets: [{ name: 'registry' }],
    replicas: 5,
    env: [{ name: 'STORE_URL', valueFrom: { secretKeyRef: { name: 'store', key: 'url' } } }],
    watchNamespaces: ['shop', 'warehouse'],
    envFrom: [{ secretRef: { name: 'store' } }],
    'serviceAccount.annotations': { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/a' },
    podAnnotations: { 'example.com/a': 'b' },
    podLabels: { team: 'web', on: 'yes' },
    volumes: [{ name: 'cache', emptyDir: {} }],
    volumeMounts: [{ name: 'cache', mountPath: '/cache' }],
    affinity: { nodeAffinity: { a: 1 } },
    topologySpreadConstraints: [{ maxSkew: 2, topologyKey: 'zone' }],
    priorityClassName: 'system-cluster-critical',
    'podDisruptionBudget.enabled': false,
    'networkPolicy.enabled': true,
    resources: { requests: { cpu: 1, memory: '9Mi' }, limits: { memory: '9Gi' } },
    nodeSelector: { 'kubernetes.io/arch': 'arm64' },
    tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }],
    'metrics.serviceMonitor.enabled': true,
    'metrics.alerts.enabled': true,
    'metrics.dashboards.enabled': true,
  };

  test.each(settings.map(({ path }) => path))('%s reaches the objects', (path) => {
    let values = others[path];
    for (const name of path.split('.').toReversed()) values = { [name]: values };
    const found = chartObjects(files, { values: values as Record<string, unknown> });
    expect(comparable(found)).not.toEqual(comparable(chartObjects(files)));
    if (typeof others[path] === 'object') {
      // Without brackets: the list may have further items before those of the setting.
      const inner = JSON.stringify(others[path]).slice(1, -1);
      if (path === 'watchNamespaces') expect(JSON.stringify(found)).toContain('"shop,warehouse"');
      else expect(JSON.stringify(found)).toContain(inner);
    }
  });

  test('has a comment, its default and a place in the schema', () => {
    const schema = JSON.parse(textOf('values.schema.json')) as object;
    for (const { path, comment, plain } of settings) {
      expect(textOf('values.yaml')).toContain(`# ${comment}\n`);
      expect(load(textOf('values.yaml'))).toHaveProperty(path, plain);
      expect(schema).toHaveProperty(
        `properties.${path.replaceAll('.', '.properties.')}.description`,
        comment,
      );
    }
  });

  test('that does not exist is refused by the schema at each level', () => {
    expect(JSON.parse(textOf('values.schema.json'))).toMatchObject({
      additionalProperties: false,
      properties: {
        global: { type: 'object' },
        image: { additionalProperties: false },
        metrics: { properties: { serviceMonitor: { additionalProperties: false } } },
      },
    });
  });
});

describe('Chart.yaml', () => {
  test('has the version of the package and the name of the operator', () => {
    expect(load(textOf('Chart.yaml'))).toMatchObject({
      apiVersion: 'v2',
      name: 'website-operator',
      version: '1.2.0',
      appVersion: '1.2.0',
    });
  });

  test.each([
    ['registry:5000/a/b', 'registry:5000/a/b', 'latest'],
    ['registry:5000/a/b:1', 'registry:5000/a/b', '1'],
    ['a/b@sha256:12ab', 'a/b@sha256', '12ab'],
    ['a/b:1@sha256:12ab', 'a/b:1@sha256', '12ab'],
  ])('goes with values that split %s into two parts', (image, repository, tag) => {
    const found = generateManifests(projectWith({ image }), sourcesWith());
    const values = load(found.find(({ path }) => path === 'chart/values.yaml')?.text ?? '');
    expect(values).toMatchObject({ image: { repository, tag } });
    expect(chartObjects(found)).toContainEqual(
      expect.objectContaining({ kind: 'Deployment', spec: expect.anything() }),
    );
    expect(JSON.stringify(chartObjects(found))).toContain(`"image":"${repository}:${tag}"`);
  });
});
