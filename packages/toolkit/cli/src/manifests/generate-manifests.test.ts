import { describe, expect, test } from '@jest/globals';
import {
  builtin,
  defineResource,
  type KubernetesObject,
  type ObjectOf,
} from '@keelson/apimachinery';
import { createApiServer } from '@keelson/apiserver';
import { createClient } from '@keelson/client';
import { defineKind } from '@keelson/schema';
import { defineWebhook } from '@keelson/webhook';
import { readCustomKind } from '../types/definition/custom-kind.ts';
import { generateManifests } from './generate-manifests.ts';
import {
  applyTo,
  foreignDefinitions,
  kustomizeObjects,
  objectOf,
  objectsIn,
  projectWith,
  sourcesWith,
  webhookProject,
} from './manifests.test-support.ts';
import { renderChart } from './render-chart.test-support.ts';

type Deployment = ObjectOf<typeof builtin.Deployment>;
type Role = ObjectOf<typeof builtin.Role>;

const files = generateManifests(projectWith(), sourcesWith());
const withWebhook = generateManifests(webhookProject, sourcesWith());
const base = kustomizeObjects(files);

/** The one container of the Deployment. */
function containerOf(objects: readonly KubernetesObject[]): object {
  const { spec } = objectOf(objects, 'Deployment') as Deployment;
  return spec?.template.spec?.containers[0] ?? {};
}

function thrown(act: () => unknown): unknown {
  try {
    act();
    return undefined;
  } catch (error) {
    return error;
  }
}

function namesOf(objects: readonly KubernetesObject[], kind: string): readonly unknown[] {
  return objects.filter((one) => one.kind === kind).map(({ metadata }) => metadata?.name);
}

describe('the objects of an operator', () => {
  test('are a Deployment with its permissions, its definition and the Service of its metrics', () => {
    expect(base.map(({ kind, metadata }) => `${kind} ${metadata?.name}`)).toEqual([
      'Namespace websites',
      'CustomResourceDefinition websites.web.example.com',
      'ServiceAccount website-operator',
      'ClusterRole website-operator',
      'ClusterRoleBinding website-operator',
      'Role website-operator-leader-election',
      'RoleBinding website-operator-leader-election',
      'ClusterRole website-operator-metrics-auth',
      'ClusterRoleBinding website-operator-metrics-auth',
      'ClusterRole website-operator-metrics-reader',
      'Service website-operator-metrics',
      'Deployment website-operator',
    ]);
  });

  test.each(['default', 'kube-system'])(
    'do not change the namespace %s of every cluster',
    (namespace) => {
      const found = kustomizeObjects(generateManifests(projectWith({ namespace }), sourcesWith()));
      expect(namesOf(found, 'Namespace')).toEqual([]);
      expect(objectOf(found, 'Deployment').metadata?.namespace).toBe(namespace);
    },
  );

  test('have the recommended labels, and selectors without the version', () => {
    const labelled = base.filter(({ kind }) => kind !== 'CustomResourceDefinition');
    for (const { metadata } of labelled) {
      expect(metadata?.labels).toMatchObject({
        'app.kubernetes.io/name': 'website-operator',
        'app.kubernetes.io/version': '1.2.0',
        'app.kubernetes.io/managed-by': 'kustomize',
      });
    }
    const { spec } = objectOf(base, 'Deployment') as Deployment;
    expect(spec?.selector.matchLabels).toEqual({
      'app.kubernetes.io/name': 'website-operator',
      'app.kubernetes.io/component': 'operator',
    });
    expect(spec?.template.metadata?.labels).toMatchObject(spec?.selector.matchLabels ?? {});
  });

  test('give the container probes, ports, resources and no way to become root', () => {
    expect(containerOf(base)).toMatchObject({
      image: 'ghcr.io/me/website-operator:1.2.0',
      ports: [
        { name: 'metrics', containerPort: 8443 },
        { name: 'health', containerPort: 8081 },
      ],
      livenessProbe: { httpGet: { path: '/healthz', port: 'health' } },
      readinessProbe: { httpGet: { path: '/readyz', port: 'health' } },
      resources: { limits: { memory: '256Mi' } },
      securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
    });
  });

  test('name a webhook, its certificate and its volume only with a webhook', () => {
    expect(JSON.stringify(base)).not.toContain('webhook');
    const objects = kustomizeObjects(withWebhook);
    expect(containerOf(objects)).toMatchObject({
      ports: [{}, {}, { name: 'webhook', containerPort: 9443 }],
      volumeMounts: [{ mountPath: '/tmp/k8s-webhook-server/serving-certs', readOnly: true }],
    });
    expect(objectOf(objects, 'Certificate')).toMatchObject({
      spec: { dnsNames: expect.arrayContaining(['website-operator-webhook.websites.svc']) },
    });
    expect(objectOf(objects, 'ValidatingWebhookConfiguration')).toMatchObject({
      metadata: {
        annotations: { 'cert-manager.io/inject-ca-from': 'websites/website-operator-webhook' },
      },
      webhooks: [
        {
          clientConfig: { service: { namespace: 'websites', path: '/validate' } },
          rules: [{ apiGroups: ['web.example.com'], apiVersions: ['v1'], resources: ['websites'] }],
        },
      ],
    });
  });
});

describe('the webhooks that a project declares', () => {
  const resource = defineResource({
    group: 'web.example.com',
    version: 'v1',
    kind: 'Website',
    plural: 'websites',
  });
  const webhooks = [
    defineWebhook({
      name: 'websites',
      resource,
      operations: ['DELETE'],
      validate: () => undefined,
    }),
    defineWebhook({ name: 'defaults', resource, mutate: () => undefined }),
  ];
  const project = projectWith({ webhook: { port: 9443, modules: ['src/webhook.ts'] } });
  const declared = generateManifests(project, { ...sourcesWith(), webhooks });

  test('are registered by their options, in the namespace of the operator', () => {
    const objects = kustomizeObjects(declared);
    const service = { namespace: 'websites', name: 'website-operator-webhook' };
    const excluded = { operator: 'NotIn', values: ['kube-system', 'websites'] };
    expect(objectOf(objects, 'ValidatingWebhookConfiguration')).toMatchObject({
      metadata: {
        name: 'website-operator',
        annotations: { 'cert-manager.io/inject-ca-from': 'websites/website-operator-webhook' },
      },
      webhooks: [
        {
          name: 'websites.keelson.dev',
          clientConfig: { service: { ...service, path: '/validate/websites' } },
          rules: [{ resources: ['websites'], operations: ['DELETE'] }],
          namespaceSelector: { matchExpressions: [excluded] },
        },
      ],
    });
    expect(objectOf(objects, 'MutatingWebhookConfiguration')).toMatchObject({
      webhooks: [{ clientConfig: { service: { ...service, path: '/mutate/defaults' } } }],
    });
    expect(objectOf(objects, 'Service', service.name)).toMatchObject({ metadata: service });
  });

  test.each([
    ['1', 'must evaluate to bool but got int'],
    ["object.spec.domian == ''", "undefined field 'domian'"],
    ['params.x', "undeclared reference to 'params'"],
  ])('are refused with the match condition %s', (expression, reason) => {
    const matchConditions = [{ name: 'odd', expression }];
    const sources = sourcesWith();
    const schema = { type: 'object', properties: { spec: { type: 'object', properties: {} } } };
    const versions = [{ name: 'v1', schema: { openAPIV3Schema: schema } }];
    const definitions = sources.definitions.map((each) => ({
      ...each,
      object: { ...each.object, spec: { versions } },
    }));
    const webhook = defineWebhook({
      name: 'odd',
      resource,
      matchConditions,
      validate: () => undefined,
    });
    const generate = (): unknown =>
      generateManifests(project, { ...sources, definitions, webhooks: [webhook] });
    expect(thrown(generate)).toMatchObject({
      code: 'CONDITION_INVALID',
      facts: {
        webhook: 'odd',
        condition: 'odd',
        expression,
        reason: expect.stringContaining(reason),
      },
    });
  });

  test('are refused with every invalid match condition', () => {
    const matchConditions = ['1', '2'].map((expression) => ({
      name: `n${expression}`,
      expression,
    }));
    const webhook = defineWebhook({
      name: 'odd',
      resource: '*',
      matchConditions,
      validate: () => undefined,
    });
    const generate = (): unknown =>
      generateManifests(project, { ...sourcesWith(), webhooks: [webhook] });
    expect((thrown(generate) as AggregateError).errors).toHaveLength(2);
  });

  test('have the namespace of the release in the chart', () => {
    const chart = declared.find(({ path }) => path === 'chart/templates/webhook.yaml')?.text ?? '';
    expect(chart).not.toContain('keelson-namespace');
    expect(chart.match(/- \{\{ \.Release\.Namespace \| quote \}\}/g)).toHaveLength(2);
  });
});

describe('the definition of a kind that the operator converts', () => {
  const { crd } = defineKind({
    group: 'web.example.com',
    kind: 'Website',
    plural: 'websites',
    versions: { v1: { spec: { type: 'object' } }, v1beta1: { spec: { type: 'object' } } },
    convert: {
      hub: 'v1',
      from: { v1beta1: (object) => object },
      to: { v1beta1: (object) => object },
    },
  });
  const object = crd as unknown as Readonly<Record<string, unknown>>;
  const sources = { ...sourcesWith(), definitions: [{ object, kind: readCustomKind(object) }] };
  const converted = generateManifests(
    projectWith({ webhook: { port: 9443, modules: [] } }),
    sources,
  );
  const path = '/convert/websites.web.example.com';
  const service = { namespace: 'websites', name: 'website-operator-webhook', path };

  test('has the Service of the operator, and its certificate', () => {
    const objects = kustomizeObjects(converted);
    expect(objectOf(objects, 'CustomResourceDefinition')).toMatchObject({
      metadata: {
        annotations: { 'cert-manager.io/inject-ca-from': 'websites/website-operator-webhook' },
      },
      spec: { conversion: { strategy: 'Webhook', webhook: { clientConfig: { service } } } },
    });
    expect(objectOf(objects, 'Service', service.name)).toMatchObject({
      metadata: { name: service.name },
    });
    expect(namesOf(objects, 'ValidatingWebhookConfiguration')).toEqual([]);
  });

  test('is a template of the chart with the namespace of the release, and stays after an uninstallation', () => {
    const name = 'websites.web.example.com.yaml';
    expect(converted.some((file) => file.path === `chart/crds/${name}`)).toBe(false);
    const chart = converted.find((file) => file.path === `chart/templates/${name}`)?.text ?? '';
    expect(chart).toContain('namespace: {{ .Release.Namespace | quote }}');
    expect(chart).toContain('helm.sh/resource-policy: keep');
  });

  test('keeps a Service that the kind names', () => {
    const named = structuredClone(crd);
    const own = { namespace: 'shop', name: 'converter' };
    const clientConfig = named.spec.conversion?.webhook?.clientConfig;
    if (clientConfig !== undefined) clientConfig.service = own;
    const given = named as unknown as Readonly<Record<string, unknown>>;
    const definitions = [{ object: given, kind: readCustomKind(given) }];
    const objects = kustomizeObjects(generateManifests(projectWith(), { ...sources, definitions }));
    expect(objectOf(objects, 'CustomResourceDefinition')).toEqual(named);
  });
});

describe('the permissions', () => {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const lease = {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    verbs: ['get', 'create', 'update', 'watch'],
  };

  function roleIn(namespace: string, rules: Role['rules'] = [lease]): Role {
    return { apiVersion, kind: 'Role', metadata: { name: 'own', namespace }, rules: rules ?? [] };
  }

  test.each([
    ['without any', [], true],
    ['with a Role of the namespace', [roleIn('websites')], false],
    ['with a Role of another namespace', [roleIn('default')], true],
    [
      'without watch',
      [roleIn('websites', [{ ...lease, verbs: ['get', 'update', 'create'] }])],
      true,
    ],
    ['with create for a name', [roleIn('websites', [{ ...lease, resourceNames: ['a'] }])], true],
    [
      'with the other verbs for a name',
      [
        roleIn('websites', [
          { ...lease, verbs: ['create'] },
          { ...lease, verbs: ['get', 'update', 'watch'], resourceNames: ['a'] },
        ]),
      ],
      false,
    ],
    [
      'with wildcards',
      [roleIn('websites', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }])],
      false,
    ],
  ])('include the Lease if the roles of the project do not, %s', (_case, roles, expected) => {
    const objects = kustomizeObjects(generateManifests(projectWith(), sourcesWith({ roles })));
    const names = namesOf(objects, 'Role');
    expect(names.includes('website-operator-leader-election')).toBe(expected);
  });

  test('include the reviews of scrapers only if the roles of the project do not', () => {
    const rules = [
      { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
      {
        apiGroups: ['authorization.k8s.io'],
        resources: ['subjectaccessreviews'],
        verbs: ['create'],
      },
    ];
    const role = { apiVersion, kind: 'ClusterRole', metadata: { name: 'a' }, rules };
    const sources = sourcesWith({ clusterRoles: [role] });
    const objects = kustomizeObjects(generateManifests(projectWith(), sources));
    expect(namesOf(objects, 'ClusterRole')).toEqual(['a', 'website-operator-metrics-reader']);
  });

  test('move with the operator, except Roles of other namespaces', () => {
    const other = { ...roleIn('ingress'), metadata: { name: 'other', namespace: 'ingress' } };
    const found = generateManifests(
      projectWith(),
      sourcesWith({ roles: [roleIn('websites'), other] }),
    );
    const objects = objectsIn(renderChart(found, { namespace: 'moved' }).values());
    expect(objectOf(objects, 'Role', 'own').metadata?.namespace).toBe('moved');
    expect(objectOf(objects, 'Role', 'other').metadata?.namespace).toBe('ingress');
    expect(objectOf(objects, 'RoleBinding', 'other')).toMatchObject({
      metadata: { namespace: 'ingress' },
      subjects: [{ namespace: 'moved', name: 'website-operator' }],
    });
  });

  test('keep the annotations and labels of a role, and not what a server set', () => {
    const metadata = {
      labels: { team: 'web' },
      annotations: { note: 'x' },
      resourceVersion: '7',
      uid: 'u',
    };
    const role = {
      ...roleIn('websites'),
      metadata: { ...metadata, name: 'own', namespace: 'websites' },
    };
    const objects = kustomizeObjects(
      generateManifests(projectWith(), sourcesWith({ roles: [role] })),
    );
    const found = objectOf(objects, 'Role', 'own').metadata;
    expect(found).toMatchObject({ labels: { team: 'web' }, annotations: { note: 'x' } });
    expect(found).not.toHaveProperty('resourceVersion');
  });

  test('with two roles of one name are refused', () => {
    const roles = [roleIn('websites'), roleIn('websites')];
    expect(() => generateManifests(projectWith(), sourcesWith({ roles }))).toThrow(
      /two manifests have the same kind.*kind=Role.*name=own/,
    );
  });
});

describe('an API server', () => {
  test.each([
    ['the production overlay', () => kustomizeObjects(withWebhook, 'overlays/production')],
    ['the component', () => kustomizeObjects(withWebhook, 'components/service-monitor')],
    ['the alerts', () => kustomizeObjects(withWebhook, 'components/alerts')],
    ['the dashboards', () => kustomizeObjects(withWebhook, 'components/dashboards')],
    ['the chart', () => objectsIn([...definitionTexts(), ...chartTexts().values()])],
  ])('accepts %s without unknown fields', async (_name, objects) => {
    await using server = await createApiServer();
    await applyTo(server, [...foreignDefinitions, ...objects()]);
  });

  test('accepts a Pod of the Deployment in a restricted namespace', async () => {
    await using server = await createApiServer();
    await applyTo(server, base);
    await using client = createClient({ cluster: server.cluster });
    const { spec: whole } = objectOf(base, 'Deployment') as Deployment;
    const spec = whole?.template.spec ?? { containers: [] };
    const metadata = { name: 'pod', namespace: 'websites' };
    await client.create(builtin.Pod, { metadata, spec });
    const open = { containers: [{ name: 'a', image: 'a' }] };
    await expect(client.create(builtin.Pod, { metadata, spec: open })).rejects.toThrow(
      /violates PodSecurity "restricted/,
    );
  });

  function definitionTexts(): readonly string[] {
    return withWebhook.filter(({ path }) => path.startsWith('chart/crds/')).map(({ text }) => text);
  }

  function chartTexts(): ReadonlyMap<string, string> {
    const enabled = { enabled: true };
    const values = { metrics: { serviceMonitor: enabled, alerts: enabled, dashboards: enabled } };
    const texts = new Map(renderChart(withWebhook, { values }));
    texts.delete('chart/templates/NOTES.txt');
    return texts;
  }
});
