import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { KubernetesObject } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import * as fc from 'fast-check';
import type { Project } from '../project/project.ts';
import { generateManifests } from './generate-manifests.ts';
import {
  applyTo,
  foreignDefinitions,
  kustomizeObjects,
  objectsIn,
  projectWith,
  sourcesWith,
} from './manifests.test-support.ts';
import { renderChart } from './render-chart.test-support.ts';

const RUNS = Math.ceil(10 * Number(process.env['KEELSON_RUNS'] ?? 1));

const packageName = fc.oneof(
  fc.stringMatching(/^(?:@[a-z0-9~-][a-z0-9._~-]{0,5}\/)?[a-z0-9~-][a-z0-9._~-]{0,80}$/),
  fc.constantFrom('on', 'null', '1e3', '0x1', '~', '-', '1.2', '@a/~', '---', 'y'),
);
const port = fc.integer({ min: 1, max: 65_535 });
const namespace = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,20}[a-z0-9])?$/);
const version = fc.stringMatching(
  /^\d{1,3}\.\d{1,3}\.\d{1,3}(?:-[0-9A-Za-z.-]{1,80})?(?:\+[0-9A-Za-z.-]{1,9})?$/,
);

/** Whatever `readProject` accepts. */
const projects: fc.Arbitrary<Project> = fc
  .record({
    name: packageName,
    version,
    image: fc.stringMatching(/^[A-Za-z0-9][\w./:@-]{0,40}$/),
    namespace,
    ports: fc.uniqueArray(port, { minLength: 3, maxLength: 3 }),
    path: fc.stringMatching(/^(?:\/[a-z0-9]{1,4}){1,3}$/),
    hasWebhook: fc.boolean(),
  })
  .map(({ ports: [metricsPort = 1, healthPort = 2, webhookPort = 3], path, hasWebhook, ...rest }) =>
    projectWith({
      ...rest,
      metricsPort,
      healthPort,
      ...(hasWebhook && { webhook: { port: webhookPort, path } }),
    }),
  );

/** Text that would change a document or a template if it were not quoted. */
const hostile = fc.oneof(
  fc.constantFrom(
    '{{ .Values.secret }}',
    '{{- end }}\n---\nkind: Secret',
    '{{{{',
    '{{/* a',
    'place0',
    'placex0',
    'a: b # c',
    '\n---\n',
    '}}',
    'on',
    '1_000',
    '2001-01-01',
    '<<',
    '%TAG',
    'a\u0085b\u2028',
  ),
  // `fc.string` would make a table of a million characters first.
  fc.uint16Array({ maxLength: 20 }).map((units) => String.fromCharCode(...units).toWellFormed()),
  fc.string({
    unit: fc.constantFrom('{', '}', ' ', '-', '\n', '"', "'", '#', ':', 'a'),
    maxLength: 12,
  }),
);

describe('the manifests of a random project', () => {
  let server: ApiServer;

  beforeAll(async () => {
    server = await createApiServer();
    await applyTo(server, foreignDefinitions);
  });

  afterAll(() => server.close());

  test('are accepted by an API server', async () => {
    await fc.assert(
      fc.asyncProperty(projects, async (project) => {
        const files = generateManifests(project, sourcesWith());
        const folders = ['overlays/production', 'components/service-monitor'];
        await applyTo(server, kustomizeObjects(files, ...folders));
      }),
      { numRuns: RUNS },
    );
  });

  test('have each text of a role unchanged in both forms, as data and not as code', () => {
    fc.assert(
      fc.property(hostile, hostile, projects, (one, two, project) => {
        const rules = [{ apiGroups: [one], resources: [two, one], verbs: ['get'] }];
        const annotations = { [one]: two, note: one };
        const role = {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRole',
          metadata: { name: 'hostile', annotations },
          rules,
        };
        const files = generateManifests(project, sourcesWith({ clusterRoles: [role] }));
        const chart = renderChart(files).get('chart/templates/roles.yaml') ?? '';
        for (const objects of [objectsIn([chart]), kustomizeObjects(files)]) {
          const found = objects.find(({ metadata }) => metadata?.name === 'hostile');
          expect(found).toMatchObject({ kind: 'ClusterRole', metadata: { annotations }, rules });
        }
        expect(objectsIn([chart])).toHaveLength(1);
      }),
      { numRuns: 50 * RUNS },
    );
  });

  test('have names and labels that Kubernetes accepts', () => {
    fc.assert(
      fc.property(projects, (project) => {
        const objects = kustomizeObjects(generateManifests(project, sourcesWith()));
        for (const { metadata } of objects) expectValid(metadata);
      }),
      { numRuns: 20 * RUNS },
    );
  });

  function expectValid(metadata: KubernetesObject['metadata']): void {
    expect(metadata?.name).toMatch(/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/);
    for (const value of Object.values(metadata?.labels ?? {})) {
      expect(value).toMatch(/^[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/);
    }
  }
});
